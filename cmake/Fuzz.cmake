# One libFuzzer program a file of tests/fuzz/, with the IR and all that reads text from outside under AddressSanitizer
# and UBSan.
include(YamlCpp)
include(Embed)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CLI11 REQUIRED)
# Of LLVM the sums are taken (BLAKE3), which depend on nothing else of it.
find_path(LLVM_INCLUDE llvm-c/blake3.h HINTS /usr/lib/llvm-19/include REQUIRED)
find_library(LLVM_SUPPORT libLLVMSupport.a HINTS /usr/lib/llvm-19/lib REQUIRED)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "the fuzz targets need clang++ (19): configure with -DCMAKE_CXX_COMPILER=clang++-19")
endif()
# Every file is instrumented for coverage; libFuzzer's main is linked into the programs alone, below. Of what is compared libFuzzer
# sees memcmp and its like, where words are; every comparison of numbers (trace-cmp) would take a fifth of the time.
add_compile_definitions(OPBENCH_FUZZ)
add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-coverage=trace-cmp -fno-sanitize-recover=undefined -O1 -g1)
add_link_options(-fsanitize=address,undefined)

# Archives: a target has what it uses, so that there is no more to count after each input.
opbench_sources(ir ir)
add_library(ir STATIC ${ir})
opbench_unite(ir)
target_include_directories(ir PUBLIC "${CMAKE_SOURCE_DIR}")
target_link_libraries(ir PUBLIC opbench::fmt Eigen3::Eigen)
opbench_sources(parser inputs)
opbench_keep_plain(parser)
add_library(sample_text STATIC ${parser})
opbench_unite(sample_text)
target_link_libraries(sample_text PUBLIC ir nlohmann_json::nlohmann_json ZLIB::ZLIB)

# What the program does without torch: the readers of results, journals, tolerances and suites' configurations, the command line, the
# comparison of results. And the readers of users' kernels, what a cache keeps of devices, and the texts of a case.
opbench_sources(readers runtime)
opbench_sources(front opbench)
list(APPEND readers ${front})
opbench_keep_plain(readers)
list(FILTER readers EXCLUDE REGEX "/version\\.cpp$")  # a build's, of which there is none here
foreach(name measure/device/cached_ceilings measure/device/aa_noise own/kernel_reader cases/case cases/case_json cases/files)
  list(APPEND readers opbench/${name}.cpp)
endforeach()
foreach(name call_names expression fitted functions)
  list(APPEND readers runtime/contenders/kernels/${name}.cpp)
endforeach()
add_library(readers STATIC ${readers})
opbench_unite(readers)
target_include_directories(readers SYSTEM PRIVATE "${LLVM_INCLUDE}")
target_link_libraries(readers PUBLIC sample_text opbench::fmt opbench::yaml_cpp nlohmann_json::nlohmann_json CLI11::CLI11 "${LLVM_SUPPORT}")
opbench_embed(readers opbench/check/tolerances.yaml opbench tolerancesText)
opbench_embed(readers opbench/cases/driver.py opbench driverScript)
opbench_embed(readers opbench/cases/run.sh opbench runScript)

# Operators register themselves, so that all of the lowering's objects are taken where any are.
opbench_sources(lowering lowering)
add_library(lowering OBJECT ${lowering})
opbench_unite(lowering)
target_link_libraries(lowering PUBLIC ir)

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
endforeach()
