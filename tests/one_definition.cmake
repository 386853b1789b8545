# cmake -DOBJECTS=objects.txt -P one_definition.cmake: no two of these object files, a path a line, define the same function or variable.
# The linker that leaves out what nobody calls does so before it looks for definitions that clash.
file(STRINGS "${OBJECTS}" objects)
execute_process(COMMAND nm -g --defined-only -P ${objects}
                COMMAND awk "$2 ~ /^[TDBR]$/ { print $1 }"
                COMMAND sort
                COMMAND uniq -d
                COMMAND c++filt
                OUTPUT_VARIABLE twice RESULTS_VARIABLE results)
foreach(result IN LISTS results)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "the symbols of ${OBJECTS} cannot be listed: ${results}")
  endif()
endforeach()
if(twice)
  message(FATAL_ERROR "defined more than once:\n${twice}")
endif()
