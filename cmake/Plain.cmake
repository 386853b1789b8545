# What knows no torch, by the names of files: the command line, results and reports, with all that these are made of. It is compiled
# without torch's headers (opbench_library) and fuzzed (Fuzz.cmake), and tests/layering.cmake follows its includes. The program starts
# with it alone, some hundred times as fast as with torch, and opens the rest for a race.
string(JOIN "|" OPBENCH_PLAIN
       "^ir/" "^inputs/"
       "^runtime/(kind|known_contenders|build/(hash|program_file|sha256)|cpu/processors|program/programs)\\."
       "^opbench/(text|results|settings|select|report|presentation|compat|compare|show|profile|networks/options|cli|front)/"
       "^opbench/(check/(tolerances|tolerances_reader)|inductor/request|challenge/options|process/process)\\.")
set(OPBENCH_NOT_PLAIN "^inputs/data/(materialize|rows|schema|stored)\\.")

# opbench_keep_plain(list): of files of ours those that know no torch.
function(opbench_keep_plain list)
  list(FILTER ${list} INCLUDE REGEX "${OPBENCH_PLAIN}")
  list(FILTER ${list} EXCLUDE REGEX "${OPBENCH_NOT_PLAIN}")
  set(${list} "${${list}}" PARENT_SCOPE)
endfunction()
