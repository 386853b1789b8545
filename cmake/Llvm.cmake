# opbench::llvm_headers for the two files that include LLVM, opbench::llvm (static archives) for what is linked.
set(ZLIB_USE_STATIC_LIBS ON)
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
# LLVM's own targets name the shared zstd; the archive beside it is meant, so that a bundle needs neither.
find_library(ZSTD_ARCHIVE libzstd.a REQUIRED)
if(TARGET zstd::libzstd_shared)
  set_target_properties(zstd::libzstd_shared PROPERTIES IMPORTED_LOCATION "${ZSTD_ARCHIVE}")
endif()
add_library(opbench_llvm_headers INTERFACE)
target_include_directories(opbench_llvm_headers SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
add_library(opbench::llvm_headers ALIAS opbench_llvm_headers)

llvm_map_components_to_libnames(OPBENCH_LLVM_LIBRARIES orcjit native passes asmparser)
add_library(opbench_llvm INTERFACE)
# No symbol of a static archive is exported, so that another library's LLVM never meets ours.
target_link_libraries(opbench_llvm INTERFACE opbench_llvm_headers ${OPBENCH_LLVM_LIBRARIES})
target_link_options(opbench_llvm INTERFACE -Wl,--as-needed)
add_library(opbench::llvm ALIAS opbench_llvm)
