#!/usr/bin/env bash
# edges.sh PROGRAM WORK DATA DTYPE...: races no call of tests/edges/calls.py; checks each, at these dtypes on data of this kind.
set -euo pipefail
program=$1 work=$2 data=$3
shift 3
rm -rf "$work"
python3 "$(dirname "$0")/calls.py" "$work"
files=()
for file in "$work"/*.txt; do files+=(--inp-file "$file"); done
for dtype in "$@"; do
  "$program" "${files[@]}" --op all --max-samples 0 --no-timing --device cpu --data "$data" --dtype "$dtype" --siblings 0 --no-cases \
    --cache "$work/cache" --quiet || { echo "edges: $dtype, data $data: status $?"; exit 1; }
done
