# One doctest program a folder of tests/: a folder's tests link that folder and what it includes, so a test says what it needs. There
# are none where doctest is not installed. A glob is looked at before every build: once doctest is installed the tests are there.
set(headers ${CMAKE_SYSTEM_PREFIX_PATH})
list(TRANSFORM headers APPEND "/include/doctest/doctest.h")
file(GLOB doctest CONFIGURE_DEPENDS ${headers})
if(NOT doctest)
  message(STATUS "no doctest, no tests: ./dev test installs it")
  return()
endif()

add_library(test_support OBJECT tests/main.cpp tests/golden.cpp tests/random_expr.cpp tests/reduction_kernels.cpp tests/waits.cpp)
target_include_directories(test_support PUBLIC "${CMAKE_SOURCE_DIR}")
target_link_libraries(test_support PRIVATE opbench::fmt)

# opbench_patterns(out folder file...): doctest's filter for these files of a folder's tests.
function(opbench_patterns out folder)
  list(TRANSFORM ARGN PREPEND "*/tests/${folder}/" OUTPUT_VARIABLE patterns)
  list(JOIN patterns "," patterns)
  set(${out} "${patterns}" PARENT_SCOPE)
endfunction()

# opbench_test(folder [TORCH] OBJECTS library... [LINKS target...] [LABEL label] [PARTS part:file,file...] [SHARED file...]): the tests
# in the files of each part are a test of CTest's own, FOLDER_PART, so that they run at the same time; those of all other files are
# the test FOLDER. SHARED are sources of other folders' tests.
function(opbench_test folder)
  cmake_parse_arguments(A "TORCH" "LABEL" "OBJECTS;LINKS;PARTS;SHARED" ${ARGN})
  opbench_sources(sources tests/${folder})
  list(FILTER sources EXCLUDE REGEX "/(faulty_disk|fake_worker|zoo)/|/sanitizers\\.cpp$")
  if(NOT sources)
    return()
  endif()
  set(name test_${folder})
  opbench_executable(${name} SOURCES ${sources} ${A_SHARED} OBJECTS test_support ${A_OBJECTS} LINKS ${A_LINKS})
  target_compile_options(${name} PRIVATE -O1)  # what a test says runs once
  opbench_unite(${name})
  if(NOT A_TORCH)
    target_precompile_headers(${name} REUSE_FROM plain_pch)
  else()
    opbench_add_torch(${name})
    if(TARGET opbench_cuda)
      add_dependencies(${name} opbench_cuda)
    endif()
  endif()
  set(tests ${folder})
  set(others "")
  foreach(part IN LISTS A_PARTS)
    string(REGEX MATCH "^([^:]+):(.+)$" matched "${part}")
    string(REPLACE "," ";" files "${CMAKE_MATCH_2}")
    set(part ${folder}_${CMAKE_MATCH_1})
    opbench_patterns(patterns ${folder} ${files})
    add_test(NAME ${part} COMMAND ${name} "--source-file=${patterns}")
    list(APPEND tests ${part})
    list(APPEND others ${files})
  endforeach()
  opbench_patterns(patterns ${folder} ${others})
  add_test(NAME ${folder} COMMAND ${name} "--source-file-exclude=${patterns}")
  # Exit status 77: the tests were skipped, and say why (no GPU).
  set_tests_properties(${tests} PROPERTIES LABELS "${A_LABEL}" SKIP_RETURN_CODE 77 ENVIRONMENT "${OPBENCH_TEST_ENVIRONMENT}")
endfunction()

# opbench_test_as_avx2(folder pattern...): the tests of these files once more, as a machine of one processor without AVX-512 runs
# them. What oneMKL computes on processors that are not Intel's is what it computes on all of them alike (MKL_CBWR).
function(opbench_test_as_avx2 folder)
  if(NOT TARGET test_${folder})
    return()
  endif()
  opbench_patterns(patterns ${folder} ${ARGN})
  add_test(NAME ${folder}_avx2 COMMAND bash "${CMAKE_SOURCE_DIR}/tests/one_processor.sh" "$<TARGET_FILE:test_${folder}>"
           "--source-file=${patterns}")
  set(environment ${OPBENCH_TEST_ENVIRONMENT} ATEN_CPU_CAPABILITY=avx2 DNNL_MAX_CPU_ISA=AVX2 MKL_CBWR=COMPATIBLE)
  # All of these run on the same processor, so one at a time.
  set_tests_properties(${folder}_avx2 PROPERTIES ENVIRONMENT "${environment}" RESOURCE_LOCK first_processor)
endfunction()

# Two tests share the processors of a small machine: threads that wait leave them to the other test.
set(OPBENCH_TEST_ENVIRONMENT OMP_WAIT_POLICY=passive)
if(OPBENCH_ASAN)
  # Planted faults have to end as they do without the sanitizer: by their signal, and an allocation that is too large by an error.
  string(JOIN ":" options detect_leaks=1 strict_string_checks=1 handle_segv=0 handle_abort=0 handle_sigbus=0 handle_sigfpe=0
         handle_sigill=0 allocator_may_return_null=1)
  list(APPEND OPBENCH_TEST_ENVIRONMENT "ASAN_OPTIONS=${options}" "UBSAN_OPTIONS=print_stacktrace=1")
endif()

add_library(faulty_disk MODULE tests/opbench/faulty_disk/faulty_disk.cpp)
set_target_properties(faulty_disk PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

# A worker without torch. What reads and writes a sweep's messages is compiled once more for it, as the program's objects have torch
# in the same units.
add_executable(fake_worker tests/opbench/fake_worker/fake_worker.cpp opbench/process/channel.cpp opbench/sweep/messages.cpp
               opbench/check/faults/process_fault_host.cpp)
target_precompile_headers(fake_worker REUSE_FROM plain_pch)
target_include_directories(fake_worker PRIVATE "${CMAKE_SOURCE_DIR}")
target_compile_definitions(fake_worker PRIVATE OPBENCH_VERSION="${PROJECT_VERSION}")
target_compile_options(fake_worker PRIVATE -ffunction-sections -fdata-sections)
target_link_options(fake_worker PRIVATE -Wl,--gc-sections)
opbench_objects(plain ir inputs_plain runtime_plain opbench_core_plain PARTS _later)
target_link_libraries(fake_worker PRIVATE ${plain} opbench::llvm)

# opbench_zoo(name torch file...): a user's library of operators, which try to cheat.
function(opbench_zoo name torch)
  list(TRANSFORM ARGN PREPEND tests/opbench/zoo/)
  add_library(${name} MODULE ${ARGN})
  opbench_add_torch(${name})
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${torch})
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
endfunction()
opbench_zoo(zoo torch::cpu zoo.cpp)
opbench_zoo(zoo_over_aten torch::cpu over_aten.cpp)
opbench_zoo(zoo_namesakes torch::cpu namesakes.cpp)
opbench_zoo(zoo_wrong torch::cpu wrong.cpp)
opbench_zoo(zoo_fused torch::cpu fused.cpp)
opbench_zoo(zoo_cuda torch::cuda cuda.cpp kernels.cpp)

opbench_test(ir OBJECTS ir)
opbench_test(lowering OBJECTS lowering ir PARTS "apply:schedule/apply_test.cpp" "barriers:insert_barriers_test.cpp"
             "candidates:schedule/candidates_test.cpp")
opbench_test(codegen OBJECTS codegen lowering ir LINKS opbench::llvm)
opbench_test(kernels OBJECTS kernel_hashes ir)
opbench_test(inputs TORCH OBJECTS inputs ir LINKS torch::cpu)
opbench_test(runtime TORCH OBJECTS runtime inputs codegen lowering ir LINKS torch::cpu opbench::llvm
             PARTS "kernels:architectures_test.cpp,candidates_test.cpp" "nvrtc:build/nvrtc*,build/kernel_batch_test.cpp")
opbench_test(opbench TORCH OBJECTS ${OPBENCH_OBJECTS} LINKS torch::cpu opbench::llvm
             PARTS "functions:run/functions_test.cpp" "indexing:run/indexing_test.cpp" "movement:run/movement_test.cpp,run/windows_test.cpp"
                   "operators:run/operators_test.cpp" "random:run/random_test.cpp" "reductions:run/reductions_test.cpp,run/order_test.cpp"
                   "networks:networks/*" "suspicion:suspicion/*" "run_cache:sweep/run_cache_test.cpp"
                   "isolation:sweep/workers/isolation_test.cpp" "supervision:sweep/workers/supervision_test.cpp"
                   "sweep:sweep/long_sweep_test.cpp,sweep/case_limit_test.cpp,sweep/refused_test.cpp")
# What tests start, what they start it with, and a disk that fails under it.
add_dependencies(test_opbench opbench fake_worker faulty_disk zoo zoo_over_aten zoo_namesakes zoo_wrong zoo_fused)
# The inputs of tests/fuzz/corpus, read by the program as it is; cmake/Fuzz.cmake builds the search for others.
opbench_test(fuzz OBJECTS ${OPBENCH_OBJECTS} LINKS torch::cpu opbench::llvm)
opbench_test(gpu TORCH LABEL gpu OBJECTS ${OPBENCH_OBJECTS} LINKS torch::cpu opbench::llvm SHARED tests/opbench/process.cpp)
add_dependencies(test_gpu opbench zoo_cuda)

# What tests/docs.sh has the program find in its cache.
opbench_executable(known_ceilings SOURCES tests/known_ceilings/main.cpp tests/opbench/known_ceilings.cpp OBJECTS ${OPBENCH_OBJECTS}
                   LINKS torch::cpu opbench::llvm)
opbench_add_torch(known_ceilings)

# What depends on the capability that ATen finds, and machine code for the CPU at hand. Operators run as AVX2 and as AVX-512 in the same
# test (tests/runtime/cpu/cpus.h).
opbench_test_as_avx2(codegen "llvm*")
opbench_test_as_avx2(runtime device_test.cpp functions_test.cpp operations_test.cpp reductions_test.cpp statements_test.cpp
                     callable_test.cpp "cpu/*" "library/*" "torch/*" build/orc_test.cpp)
opbench_test_as_avx2(opbench "check/*")

# Calls that are made to harm, of every operator there is: a few logs as a test, for as long as asked by ./dev fuzz.
opbench_sources(hostile tests/hostile)
list(FILTER hostile EXCLUDE REGEX "/programs/")
opbench_executable(hostile_logs SOURCES ${hostile} opbench/process/system_calls.cpp OBJECTS runtime inputs codegen lowering ir
                   LINKS torch::cpu opbench::llvm CLI11::CLI11)
if(TARGET hostile_logs)
  opbench_add_torch(hostile_logs)
  add_test(NAME hostile_logs COMMAND hostile_logs --runs 20 --seed 1)
  set_tests_properties(hostile_logs PROPERTIES LABELS all SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()

# Files of models that are made to harm, of which the program has to make a row each.
opbench_sources(hostile_programs tests/hostile/programs)
opbench_executable(hostile_programs SOURCES ${hostile_programs} tests/hostile/sandbox.cpp tests/opbench/known_ceilings.cpp
                   OBJECTS ${OPBENCH_OBJECTS} LINKS torch::cpu opbench::llvm CLI11::CLI11)
if(TARGET hostile_programs)
  opbench_add_torch(hostile_programs)
  add_dependencies(hostile_programs opbench)
  add_test(NAME hostile_programs COMMAND hostile_programs --runs 2 --seed 1)
  set_tests_properties(hostile_programs PROPERTIES LABELS all TIMEOUT 900)
endif()

# Random graphs against ATen: a few as a test, for as long as asked by ./dev fuzz.
opbench_sources(random_graphs tests/random_graphs)
opbench_executable(random_graphs SOURCES ${random_graphs} OBJECTS runtime inputs codegen lowering ir LINKS torch::cpu opbench::llvm CLI11::CLI11)
opbench_add_torch(random_graphs)
add_test(NAME random_graphs COMMAND random_graphs --runs 150)
set_tests_properties(random_graphs PROPERTIES ENVIRONMENT "${OPBENCH_TEST_ENVIRONMENT}")

# The program that ./dev run shows its first report with has all that the options of is_plain_race() need.
add_test(NAME first_race COMMAND bash "${CMAKE_SOURCE_DIR}/tests/first_race.sh" "$<TARGET_FILE:opbench_first>" "$<TARGET_FILE:opbench>")
set_tests_properties(first_race PROPERTIES TIMEOUT 300 ENVIRONMENT "${OPBENCH_TEST_ENVIRONMENT}")
if(TARGET opbench_cuda)
  add_test(NAME first_race_symbols COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:opbench_first>" "-DMODULE=$<TARGET_FILE:opbench_cuda>"
           -P "${CMAKE_SOURCE_DIR}/tests/cuda_module_symbols.cmake")
endif()

add_test(NAME layering COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_SOURCE_DIR}" -P "${CMAKE_SOURCE_DIR}/tests/layering.cmake")
add_test(NAME layering_planted COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_SOURCE_DIR}" "-DWORK=${CMAKE_BINARY_DIR}/planted"
         -P "${CMAKE_SOURCE_DIR}/tests/layering_planted.cmake")
add_test(NAME comments COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_SOURCE_DIR}" -P "${CMAKE_SOURCE_DIR}/tests/comments.cmake")
add_test(NAME comments_planted COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_SOURCE_DIR}" "-DWORK=${CMAKE_BINARY_DIR}/planted_comments"
         -P "${CMAKE_SOURCE_DIR}/tests/comments_planted.cmake")
add_test(NAME build_hash COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_SOURCE_DIR}" "-DWORK=${CMAKE_BINARY_DIR}/build_hash"
         -P "${CMAKE_SOURCE_DIR}/tests/build_hash.cmake")
if(TARGET opbench AND TARGET opbench_cuda)
  add_test(NAME cuda_module_symbols COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:opbench_library>" "-DMODULE=$<TARGET_FILE:opbench_cuda>"
           -P "${CMAKE_SOURCE_DIR}/tests/cuda_module_symbols.cmake")
endif()
set(objects "")
foreach(library IN LISTS OPBENCH_OBJECTS)
  foreach(part "" _plain _later _plain_later)
    if(TARGET ${library}${part})
      list(APPEND objects "$<TARGET_OBJECTS:${library}${part}>")
    endif()
  endforeach()
endforeach()
file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/objects.txt" CONTENT "$<JOIN:${objects},\n>\n")
add_test(NAME one_definition COMMAND "${CMAKE_COMMAND}" "-DOBJECTS=${CMAKE_BINARY_DIR}/objects.txt" -P "${CMAKE_SOURCE_DIR}/tests/one_definition.cmake")
# The environment of ./dev models has a Python torch.
find_program(OPBENCH_PYTHON python3 HINTS "${CMAKE_SOURCE_DIR}/build/models/bin")
if(OPBENCH_PYTHON)
  add_test(NAME recorded_loader COMMAND "${OPBENCH_PYTHON}" -B "${CMAKE_SOURCE_DIR}/tests/inputs/loader.py" "${CMAKE_SOURCE_DIR}/inputs/recorded")
  set_tests_properties(recorded_loader PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
  if(NOT OPBENCH_ASAN)  # Python itself is not instrumented
    add_test(NAME python_race COMMAND "${OPBENCH_PYTHON}" -B "${CMAKE_SOURCE_DIR}/tests/python/race.py" "${CMAKE_BINARY_DIR}/bin")
    set_tests_properties(python_race PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
  endif()
endif()
if(OPBENCH_PYTHON AND TARGET opbench)
  add_test(NAME old_readers COMMAND "${OPBENCH_PYTHON}" -B "${CMAKE_SOURCE_DIR}/tests/python/old_readers.py" "${CMAKE_BINARY_DIR}/bin")
  set_tests_properties(old_readers PROPERTIES TIMEOUT 600 ENVIRONMENT "${OPBENCH_TEST_ENVIRONMENT}")
  add_test(NAME page COMMAND "${OPBENCH_PYTHON}" -B "${CMAKE_SOURCE_DIR}/tests/page/page.py" "$<TARGET_FILE:opbench>" "${CMAKE_BINARY_DIR}/page")
  set_tests_properties(page PROPERTIES LABELS all SKIP_RETURN_CODE 77 TIMEOUT 600 ENVIRONMENT "${OPBENCH_TEST_ENVIRONMENT}")
endif()
if(TARGET opbench)
  file(GLOB pages RELATIVE "${CMAKE_SOURCE_DIR}" CONFIGURE_DEPENDS docs/*.md)
  # Pages in three groups, which run at the same time: the README and docs/usage.md, which has a third of all commands, and every other
  # one of docs/, so that docs/models.md and docs/recording.md, which run networks, are apart.
  set(docs_0 README.md docs/usage.md)
  set(docs_1 inputs/recorded/README.md docs/recording.md)
  set(docs_2 docs/models.md docs/challenges.md)
  list(REMOVE_ITEM pages docs/usage.md ${docs_1} ${docs_2})
  set(group 1)
  foreach(page IN LISTS pages)
    list(APPEND docs_${group} ${page})
    math(EXPR group "3 - ${group}")
  endforeach()
  foreach(group RANGE 2)
    add_test(NAME docs_${group} COMMAND bash "${CMAKE_SOURCE_DIR}/tests/docs.sh" "$<TARGET_FILE:opbench>"
             "$<TARGET_FILE:known_ceilings>" ${docs_${group}})
    set_tests_properties(docs_${group} PROPERTIES TIMEOUT 900 ENVIRONMENT "${OPBENCH_TEST_ENVIRONMENT}")
  endforeach()
  foreach(dtype float32 float16 float64 bfloat16)
    add_test(NAME edges_${dtype} COMMAND bash "${CMAKE_SOURCE_DIR}/tests/edges/edges.sh" "$<TARGET_FILE:opbench>"
             "${CMAKE_BINARY_DIR}/edges/${dtype}" normal ${dtype})
    set_tests_properties(edges_${dtype} PROPERTIES TIMEOUT 600 ENVIRONMENT "${OPBENCH_TEST_ENVIRONMENT}")
  endforeach()
  set_tests_properties(edges_bfloat16 PROPERTIES LABELS all)
  if(NOT OPBENCH_ASAN AND TARGET opbench_cuda)
    add_test(NAME packages COMMAND bash "${CMAKE_SOURCE_DIR}/tests/packages.sh" "${OPBENCH_TORCH_DIR}")
    set_tests_properties(packages PROPERTIES LABELS all TIMEOUT 600)
  endif()
  add_test(NAME slurm COMMAND bash "${CMAKE_SOURCE_DIR}/tests/slurm.sh" "$<TARGET_FILE:opbench>" "${CMAKE_SOURCE_DIR}/docs/cluster.md")
  set_tests_properties(slurm PROPERTIES LABELS all SKIP_RETURN_CODE 77 TIMEOUT 300 ENVIRONMENT "${OPBENCH_TEST_ENVIRONMENT}")
endif()

# Tests are started in the order of their COST, the longest ones first, so that no processor waits for a long one at the end.
set(longest docs_0 opbench_isolation opbench_run_cache docs_2 runtime opbench opbench_suspicion lowering_barriers lowering_apply
    opbench_networks runtime_nvrtc runtime_kernels edges_float32 opbench_reductions opbench_sweep packages)
list(REVERSE longest)
set(cost 0)
foreach(name IN LISTS longest)
  math(EXPR cost "${cost} + 1")
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST ${cost})
  endif()
endforeach()
