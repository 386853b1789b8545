# What opbench::versionText() says of the build: the commit, for people, and a hash of all that the program is built from.

# OPBENCH_COMMIT: the commit that is checked out, `unknown` outside git. CMake runs again whenever HEAD moves.
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
set(commit "${CMAKE_BINARY_DIR}/generated/build_commit.cpp")
file(CONFIGURE OUTPUT "${commit}" CONTENT "#include <string_view>

namespace opbench {
std::string_view buildCommit();
std::string_view buildCommit() { return \"${OPBENCH_COMMIT}\"; }
}  // namespace opbench
" @ONLY)

# The hash is made anew before anything is linked wherever one of the files was written since (build_hash.cmake); where it is the same
# again, nothing else is made.
set(folders ir lowering codegen inputs runtime opbench)
list(TRANSFORM folders REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/\\1/*" OUTPUT_VARIABLE patterns)
set(globs "${CMAKE_SOURCE_DIR}/CMakeLists.txt" "${CMAKE_SOURCE_DIR}/cmake/*.cmake" "${CMAKE_SOURCE_DIR}/cmake/*.h")
foreach(ending cpp h cuh def yaml)
  list(TRANSFORM patterns APPEND ".${ending}" OUTPUT_VARIABLE of_ending)
  list(APPEND globs ${of_ending})
endforeach()
file(GLOB_RECURSE files RELATIVE "${CMAKE_SOURCE_DIR}" CONFIGURE_DEPENDS ${globs} "${CMAKE_SOURCE_DIR}/opbench/cases/driver.py"
     "${CMAKE_SOURCE_DIR}/opbench/cases/run.sh")
list(FILTER files EXCLUDE REGEX "^inputs/(recorded|models)/")
file(SHA256 "${OPBENCH_TORCH_DIR}/include/torch/headeronly/version.h" torch)
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
string(JOIN " " configuration "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}"
       "asan ${OPBENCH_ASAN}, LLVM ${LLVM_PACKAGE_VERSION}, torch ${torch}")
string(JOIN "\n" content "${configuration}" ${files})
set(list "${CMAKE_BINARY_DIR}/generated/built_from.txt")
file(CONFIGURE OUTPUT "${list}" CONTENT "${content}\n" @ONLY)
set(hash "${CMAKE_BINARY_DIR}/generated/build_hash.cpp")
list(TRANSFORM files PREPEND "${CMAKE_SOURCE_DIR}/" OUTPUT_VARIABLE paths)
add_custom_command(OUTPUT "${hash}" DEPENDS "${list}" ${paths} "${CMAKE_SOURCE_DIR}/cmake/build_hash.cmake"
                   COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_SOURCE_DIR}" "-DLIST=${list}" "-DOUT=${hash}"
                           -P "${CMAKE_SOURCE_DIR}/cmake/build_hash.cmake")
target_sources(opbench_core_plain PRIVATE "${hash}" "${commit}")
set_source_files_properties("${hash}" "${commit}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
