# OPBENCH_COMMIT: the commit that the sources are of, `unknown` outside git. CMake runs again whenever HEAD moves.
set(OPBENCH_COMMIT unknown)
if(EXISTS "${CMAKE_SOURCE_DIR}/.git")
  execute_process(COMMAND git rev-parse --path-format=absolute --git-path logs/HEAD --short HEAD WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
                  OUTPUT_VARIABLE answer ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
  if(status EQUAL 0 AND answer MATCHES "^(.+)\n([0-9a-f]+)$")
    set(OPBENCH_COMMIT "${CMAKE_MATCH_2}")
    if(EXISTS "${CMAKE_MATCH_1}")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_MATCH_1}")
    endif()
  endif()
endif()
set_source_files_properties(opbench/cli/version.cpp PROPERTIES COMPILE_DEFINITIONS "OPBENCH_COMMIT=\"${OPBENCH_COMMIT}\"")
