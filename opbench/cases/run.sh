#!/bin/sh
# Races the sample of this folder as it was raced. run.words holds the command, a word a line, and nothing in it is evaluated.
# OPBENCH names another opbench; arguments follow those of run.words. This script is the same for every case.
case $0 in
  */*) CDPATH='' cd -- "${0%/*}/" || exit ;;
esac
given=$#
while IFS= read -r word; do
  set -- "$@" "$word"
done <run.words || exit
if [ "$#" -eq "$given" ]; then
  echo "run.sh: run.words names no program" >&2
  exit 2
fi
# The arguments given go behind the words.
while [ "$given" -gt 0 ]; do
  set -- "$@" "$1"
  shift
  given=$((given - 1))
done
if [ -n "${OPBENCH:-}" ]; then
  shift
  set -- "$OPBENCH" "$@"
fi
exec "$@"
