# cmake -DROOT=source -DWORK=folder -P comments_planted.cmake: plants comments in an empty tree and expects comments.cmake to name
# the offending lines alone.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${WORK}")
file(WRITE "${WORK}/ir/planted.h"
     "/// Those of calls.\n"
     "int calls();\n"
     "\n"
     "int runs = 0;  ///< those that count\n"
     "  // [The mean; that of\n"
     "  // one turn is \\\n"
     "  // less than those\n"
     "  // whose turn is over.\n"
     "/// The names of runs, whatever they consist of. What is planted is found; so is that office.\n"
     "const char* text = \"those of what\";\n")
file(WRITE "${WORK}/opbench/run/planted.cpp" "int a;  // a part of what\nint b;  // that which\n")
file(WRITE "${WORK}/opbench/README.md" "// Those of a text.\n")
set(expected "ir/planted.h:1" "ir/planted.h:4" "ir/planted.h:5" "ir/planted.h:8" "opbench/run/planted.cpp:1"
    "opbench/run/planted.cpp:2")

execute_process(COMMAND "${CMAKE_COMMAND}" "-DROOT=${WORK}" -P "${ROOT}/tests/comments.cmake" RESULT_VARIABLE status
                ERROR_VARIABLE said)
string(REGEX MATCHALL "[a-z/]+\\.[a-z]+:[0-9]+: the comment begins" found "${said}")
list(TRANSFORM found REPLACE ": the comment begins" "")
if(status EQUAL 0 OR NOT found STREQUAL expected)
  message(FATAL_ERROR "expected ${expected}, found ${found}:\n${said}")
endif()

# A tree without offences passes, an empty one does not.
file(REMOVE "${WORK}/ir/planted.h" "${WORK}/opbench/run/planted.cpp")
execute_process(COMMAND "${CMAKE_COMMAND}" "-DROOT=${WORK}" -P "${ROOT}/tests/comments.cmake" RESULT_VARIABLE status ERROR_QUIET)
if(status EQUAL 0)
  message(FATAL_ERROR "a tree without sources passes")
endif()
file(WRITE "${WORK}/ir/planted.h" "/// The calls.\nint calls();\n")
execute_process(COMMAND "${CMAKE_COMMAND}" "-DROOT=${WORK}" -P "${ROOT}/tests/comments.cmake" RESULT_VARIABLE status
                ERROR_VARIABLE said)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "a tree without offences fails:\n${said}")
endif()
