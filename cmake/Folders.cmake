# Each top folder is one OBJECT library, with the folders in it: a static archive would drop the files that only register themselves.
# Sources are listed by glob.

# The files of a folder are compiled together, up to twelve as one unit: headers are read once for all of them. So what an unnamed
# namespace holds has a name of its own in its folder. Off: every file is a unit of its own, as lint wants it.
option(OPBENCH_UNITY "Compile the files of a folder together" ON)

# opbench_unite(target): its units. Those of CMake's UNITY_BUILD would name their files by absolute paths, so that no compiler cache
# could serve two checkouts; these name them from the source's root. A file with flags of its own stays a unit of its own.
function(opbench_unite target)
  if(NOT OPBENCH_UNITY)
    return()
  endif()
  # g++ takes what a unit includes for a header, whose types should have none of an unnamed namespace's in them.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  set(units "")
  foreach(source IN LISTS sources)
    get_source_file_property(options "${source}" COMPILE_OPTIONS)
    get_source_file_property(definitions "${source}" COMPILE_DEFINITIONS)
    if(options OR definitions OR IS_ABSOLUTE "${source}")
      list(APPEND units "${source}")
      continue()
    endif()
    get_filename_component(folder "${source}" DIRECTORY)
    list(APPEND files_of_${folder} "${source}")
    list(LENGTH files_of_${folder} number)
    math(EXPR part "(${number} - 1) / 12 + 1")
    set(unit "${CMAKE_BINARY_DIR}/units/${target}/${folder}/${part}.cpp")
    list(APPEND units "${unit}")
    string(APPEND "text_of_${unit}" "#include \"${source}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES units)
  foreach(unit IN LISTS units)
    if(DEFINED "text_of_${unit}")
      file(CONFIGURE OUTPUT "${unit}" CONTENT "${text_of_${unit}}" @ONLY)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${units}")
endfunction()

if(NOT OPBENCH_FUZZ)
  add_library(plain_pch OBJECT "${CMAKE_SOURCE_DIR}/cmake/pch.cpp")
  target_link_libraries(plain_pch PRIVATE opbench::fmt)
  target_include_directories(plain_pch PRIVATE "${CMAKE_SOURCE_DIR}")
  target_precompile_headers(plain_pch PRIVATE <cmake/plain_pch.h>)
endif()

# Gives `target` torch's headers, precompiled.
function(opbench_add_torch target)
  target_link_libraries(${target} PUBLIC torch::headers)
  target_precompile_headers(${target} REUSE_FROM torch_pch)
endfunction()

# opbench_sources(out folder): the .cpp files of a folder and those in it.
function(opbench_sources out folder)
  file(GLOB_RECURSE sources RELATIVE "${CMAKE_SOURCE_DIR}" CONFIGURE_DEPENDS "${folder}/*.cpp")
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# opbench_results_sources(out): what reads and writes results. It knows neither torch nor the compiler, and is compiled once more for
# programs without these; of the layers below it takes the samples of inputs, and these few files.
function(opbench_results_sources out)
  opbench_sources(text opbench/text)
  opbench_sources(results opbench/results)
  set(${out} ${text} ${results} runtime/build/hash.cpp runtime/kind.cpp runtime/known_contenders.cpp PARENT_SCOPE)
endfunction()

# opbench_library(name [TORCH] [SOURCE_DIR folder] [EXCLUDE regex] [LATER regex [BUT regex]] [LINKS target...]
# [OPTIONS option...]): the sources that LATER names, without those of BUT, are a library of their own, name_later, which all programs but
# opbench_first have beside it.
function(opbench_library name)
  cmake_parse_arguments(A "TORCH" "SOURCE_DIR;EXCLUDE;LATER;BUT" "LINKS;OPTIONS" ${ARGN})
  if(NOT A_SOURCE_DIR)
    set(A_SOURCE_DIR ${name})
  endif()
  opbench_sources(sources ${A_SOURCE_DIR})
  if(A_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${A_EXCLUDE}")
  endif()
  set(sources_${name} ${sources})
  set(libraries ${name})
  if(A_LATER)
    list(FILTER sources INCLUDE REGEX "${A_LATER}")
    if(A_BUT)
      list(FILTER sources EXCLUDE REGEX "${A_BUT}")
    endif()
    list(REMOVE_ITEM sources_${name} ${sources})
    set(sources_${name}_later ${sources})
    list(APPEND libraries ${name}_later)
  endif()
  foreach(library IN LISTS libraries)
    add_library(${library} OBJECT ${sources_${library}})
    target_include_directories(${library} PUBLIC "${CMAKE_SOURCE_DIR}")
    target_compile_definitions(${library} PRIVATE OPBENCH_VERSION="${PROJECT_VERSION}")
    target_compile_options(${library} PRIVATE ${A_OPTIONS})
    target_link_libraries(${library} PUBLIC ${A_LINKS})
    opbench_unite(${library})
    if(A_TORCH)
      opbench_add_torch(${library})
    else()
      target_precompile_headers(${library} REUSE_FROM plain_pch)
    endif()
  endforeach()
endfunction()

# opbench_objects(out library...): these libraries, each with what is later of it.
function(opbench_objects out)
  set(objects "")
  foreach(library IN LISTS ARGN)
    list(APPEND objects ${library})
    if(TARGET ${library}_later)
      list(APPEND objects ${library}_later)
    endif()
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()

# opbench_executable(name SOURCES file... OBJECTS library... [LINKS target...]): exports our symbols, so that the CUDA module finds
# them when it is opened; the objects of static archives (LLVM, fmt) stay hidden.
function(opbench_executable name)
  cmake_parse_arguments(A "" "" "SOURCES;OBJECTS;LINKS" ${ARGN})
  foreach(source IN LISTS A_SOURCES)
    if(NOT EXISTS "${CMAKE_SOURCE_DIR}/${source}")
      message(STATUS "${name}: ${source} does not exist, skipped")
      return()
    endif()
  endforeach()
  opbench_objects(objects ${A_OBJECTS})
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE ${objects} ${A_LINKS})
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
endfunction()

# opbench_shared_program(name main.cpp OBJECTS library... [LINKS target...]): a program that is a library, lib<name>.so, which others
# may load as well (Python does), and a file that starts it. Exported as above; calls within it go directly.
function(opbench_shared_program name main)
  cmake_parse_arguments(A "" "" "OBJECTS;LINKS" ${ARGN})
  opbench_objects(objects ${A_OBJECTS})
  add_library(${name}_library SHARED)
  target_link_libraries(${name}_library PRIVATE ${objects} ${A_LINKS})
  target_link_options(${name}_library PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic-functions)
  set_target_properties(${name}_library PROPERTIES OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  add_executable(${name} "${main}")
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${name}_library)
endfunction()

# opbench_first_program(name main.cpp OBJECTS library... [LINKS target...]): a program without what is later of the libraries, so that it
# is there in half the time. It races calls by eager and opbench; whatever else it is asked for ends it, as the functions are missing.
# So only ./dev run starts it, until the whole program is there.
function(opbench_first_program name main)
  cmake_parse_arguments(A "" "" "OBJECTS;LINKS" ${ARGN})
  add_executable(${name} "${main}")
  target_link_libraries(${name} PRIVATE ${A_OBJECTS} ${A_LINKS})
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL -Wl,--unresolved-symbols=ignore-all)
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
endfunction()

# The module that is opened when the device is CUDA; what it uses of ours is resolved in the program that opens it.
function(opbench_cuda_module)
  opbench_sources(sources runtime/cuda)
  if(NOT sources)
    return()
  endif()
  add_library(opbench_cuda MODULE ${sources})
  target_include_directories(opbench_cuda PRIVATE "${CMAKE_SOURCE_DIR}")
  target_compile_definitions(opbench_cuda PRIVATE OPBENCH_VERSION="${PROJECT_VERSION}")
  target_link_libraries(opbench_cuda PRIVATE torch::cuda opbench::fmt nlohmann_json::nlohmann_json)
  target_link_options(opbench_cuda PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(opbench_cuda PROPERTIES DEFINE_SYMBOL "")
  opbench_unite(opbench_cuda)
  opbench_add_torch(opbench_cuda)
endfunction()

# One program a file of bench/: its figures are read by people, so nothing runs it but them.
function(opbench_benchmarks)
  opbench_sources(sources bench)
  list(FILTER sources INCLUDE REGEX "^bench/[^/]+$")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    opbench_executable(${name} SOURCES "${source}" OBJECTS ${OPBENCH_OBJECTS} LINKS torch::cpu opbench::llvm)
  endforeach()
endfunction()
