#!/usr/bin/env bash
# one_processor.sh COMMAND...: runs it as a machine of one processor would, on the first one that it may use.
exec taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$@"
