# One libFuzzer program a file of tests/fuzz/, with the IR and all that reads text from outside under AddressSanitizer
# and UBSan.
include(YamlCpp)
include(Embed)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
# Of LLVM the sums are taken (BLAKE3), which depend on nothing else of it.
find_path(LLVM_INCLUDE llvm-c/blake3.h HINTS /usr/lib/llvm-19/include REQUIRED)
find_library(LLVM_SUPPORT libLLVMSupport.a HINTS /usr/lib/llvm-19/lib REQUIRED)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "the fuzz targets need clang++ (19): configure with -DCMAKE_CXX_COMPILER=clang++-19")
endif()
# Every file is instrumented for coverage; libFuzzer's main is linked into the programs alone, below. Of what is compared libFuzzer
# sees memcmp and its like, where words are; every comparison of numbers (trace-cmp) would take a fifth of the time.
add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-coverage=trace-cmp -fno-sanitize-recover=undefined -O1 -g1)
add_link_options(-fsanitize=address,undefined)

# Sets `out` to whether `file` includes torch, itself or through headers of ours.
function(opbench_uses_torch file out)
  set(queue "${file}")
  set(seen "")
  set(${out} FALSE PARENT_SCOPE)
  while(queue)
    list(POP_FRONT queue current)
    if(current IN_LIST seen OR NOT EXISTS "${CMAKE_SOURCE_DIR}/${current}")
      continue()
    endif()
    list(APPEND seen "${current}")
    file(STRINGS "${CMAKE_SOURCE_DIR}/${current}" lines REGEX "^#include")
    if(lines MATCHES "#include <(ATen|c10|torch|caffe2)/")
      set(${out} TRUE PARENT_SCOPE)
      return()
    endif()
    foreach(line IN LISTS lines)
      if(line MATCHES "#include \"([^\"]+)\"")
        list(APPEND queue "${CMAKE_MATCH_1}")
      endif()
    endforeach()
  endwhile()
endfunction()

# Archives: a target has what it uses, so that there is no more to count after each input.
opbench_sources(ir ir)
add_library(ir STATIC ${ir})
opbench_unite(ir)
target_include_directories(ir PUBLIC "${CMAKE_SOURCE_DIR}")
target_link_libraries(ir PUBLIC opbench::fmt Eigen3::Eigen)
opbench_sources(parser inputs)
foreach(source IN LISTS parser)
  opbench_uses_torch("${source}" torch)
  if(torch)
    list(REMOVE_ITEM parser "${source}")
  endif()
endforeach()
add_library(sample_text STATIC ${parser})
opbench_unite(sample_text)
target_link_libraries(sample_text PUBLIC ir nlohmann_json::nlohmann_json ZLIB::ZLIB)

# The readers of results, journals, tolerances, suites' configurations and users' kernels, the comparison of results, and the texts of a case.
opbench_sources(readers opbench/compare)
list(FILTER readers EXCLUDE REGEX "/(junit|options|verb|page)\\.cpp$")
foreach(name results/environment results/fields results/sample_result results/read results/record results/schema results/sum report/format report/json
             report/columns report/phrases report/summary report/console report/console_table report/remarks report/csv report/networks/table
             run/brief run/contenders run/row cli/nearest cli/numbers cli/arguments cli/device_name
             select/sampling select/select select/suite_config measure/device/aa_noise measure/device/cached_ceilings measure/device/roofline
             measure/statistics measure/stopping measure/audit measure/race check/tolerances check/tolerances_reader check/yaml_reader
             check/names own/kernel_reader sweep/workers/process_fault_names repro/case repro/case_json repro/files)
  list(APPEND readers opbench/${name}.cpp)
endforeach()
foreach(name call_names expression fitted functions)
  list(APPEND readers runtime/own/kernels/${name}.cpp)
endforeach()
list(APPEND readers runtime/build/hash.cpp runtime/network/creators.cpp runtime/torch/kind.cpp)
add_library(readers STATIC ${readers})
opbench_unite(readers)
target_include_directories(readers SYSTEM PRIVATE "${LLVM_INCLUDE}")
target_link_libraries(readers PUBLIC sample_text opbench::fmt opbench::yaml_cpp nlohmann_json::nlohmann_json "${LLVM_SUPPORT}")
opbench_embed(readers opbench/check/tolerances.yaml opbench tolerancesText)
opbench_embed(readers opbench/repro/driver.py opbench driverScript)
opbench_embed(readers opbench/repro/run.sh opbench runScript)

# Operators register themselves, so that all of the lowering's objects are taken where any are.
opbench_sources(lowering lowering)
add_library(lowering OBJECT ${lowering})
opbench_unite(lowering)
target_link_libraries(lowering PUBLIC ir)

enable_testing()
set(OPBENCH_FUZZ_RUNS 20000 CACHE STRING "Inputs each fuzz target tries when it runs as a test")
opbench_sources(targets tests/fuzz)
list(FILTER targets INCLUDE REGEX "_fuzz\\.cpp$")
foreach(source IN LISTS targets)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} "${source}" tests/fuzz/sanitizers.cpp)
  target_link_libraries(${name} PRIVATE readers sample_text ir opbench::fmt)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  file(STRINGS "${source}" lowers REGEX "#include \"lowering/")
  if(lowers)
    target_link_libraries(${name} PRIVATE lowering)
  endif()
  # What it finds on the way goes to the build tree; its seeds, tests/fuzz/corpus/<name>, stay as they are.
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/found/${name}")
  add_test(NAME ${name} COMMAND ${name} -runs=${OPBENCH_FUZZ_RUNS} -seed=1 -max_total_time=60 -timeout=10 -detect_leaks=0 -verbosity=0
           "-artifact_prefix=${CMAKE_BINARY_DIR}/" "${CMAKE_BINARY_DIR}/found/${name}" "${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name}")
  set_tests_properties(${name} PROPERTIES LABELS fuzz)
endforeach()
