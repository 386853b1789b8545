# torch::headers, torch::cpu and torch::cuda from OPBENCH_TORCH_DIR. Programs link only libtorch_cpu and libc10; the CUDA side is
# linked by the module alone, with its own needs unresolved, so that it builds where no CUDA library is installed.
set(TORCH_LIB "${OPBENCH_TORCH_DIR}/lib")
if(NOT EXISTS "${TORCH_LIB}/libtorch_cpu.so" OR NOT EXISTS "${OPBENCH_TORCH_DIR}/include/ATen/core/Tensor.h")
  message(FATAL_ERROR "no LibTorch in OPBENCH_TORCH_DIR='${OPBENCH_TORCH_DIR}': run ./dev setup, or name a LibTorch (CUDA 13)")
endif()
# The releases that opbench is built with, and the version at hand, which a bundle's launcher and the Python package look for.
file(STRINGS "${CMAKE_SOURCE_DIR}/cmake/find_torch.sh" releases REGEX "^torch_releases=")
file(STRINGS "${OPBENCH_TORCH_DIR}/include/torch/headeronly/version.h" version REGEX "^ *\"[0-9.]+\"$")
string(REGEX REPLACE "[ \"]" "" OPBENCH_TORCH_VERSION "${version}")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" release "${OPBENCH_TORCH_VERSION}")
if(NOT releases MATCHES "[\" ]${release}[\" ]")
  message(FATAL_ERROR "${OPBENCH_TORCH_DIR} is torch ${OPBENCH_TORCH_VERSION}; opbench is built with ${releases}")
endif()
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/share/opbench/torch" CONTENT "${OPBENCH_TORCH_VERSION}\n" @ONLY)
foreach(header cuda_runtime_api.h crt/host_defines.h cuda.h nvrtc.h cupti_range_profiler.h)
  if(NOT EXISTS "${OPBENCH_CUDA_HEADERS}/${header}")
    message(FATAL_ERROR "no CUDA 13 header ${header} in OPBENCH_CUDA_HEADERS='${OPBENCH_CUDA_HEADERS}': run ./dev setup")
  endif()
endforeach()
# The CUDA runtime lies beside a Python torch (nvidia/cu13) or inside a LibTorch.
find_file(CUDART_LIBRARY libcudart.so.13 PATHS "${OPBENCH_TORCH_DIR}/../nvidia/cu13/lib" "${TORCH_LIB}" /usr/local/cuda/lib64
          NO_DEFAULT_PATH)
if(NOT CUDART_LIBRARY)
  message(FATAL_ERROR "no CUDA 13 runtime (libcudart.so.13) beside ${OPBENCH_TORCH_DIR}: run ./dev setup")
endif()
get_filename_component(CUDART_LIB "${CUDART_LIBRARY}" DIRECTORY)

add_library(torch_headers INTERFACE)
target_include_directories(torch_headers SYSTEM INTERFACE "${OPBENCH_TORCH_DIR}/include"
                           "${OPBENCH_TORCH_DIR}/include/torch/csrc/api/include" "${OPBENCH_CUDA_HEADERS}")
add_library(torch::headers ALIAS torch_headers)

function(opbench_torch_link name)
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE torch_headers ${ARGN} Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(${name} INTERFACE -Wl,--allow-shlib-undefined)
endfunction()
# Our worker threads are those of the OpenMP runtime that torch itself loads.
file(GLOB TORCH_GOMP "${TORCH_LIB}/libgomp*.so*")
if(NOT TORCH_GOMP)
  set(TORCH_GOMP gomp)
endif()
opbench_torch_link(torch_cpu "${TORCH_LIB}/libtorch_cpu.so" "${TORCH_LIB}/libc10.so" ${TORCH_GOMP})
opbench_torch_link(torch_cuda "${TORCH_LIB}/libtorch_cuda.so" "${TORCH_LIB}/libc10_cuda.so" "${TORCH_LIB}/libtorch_cpu.so"
                   "${TORCH_LIB}/libc10.so" "${CUDART_LIBRARY}")
add_library(torch::cpu ALIAS torch_cpu)
add_library(torch::cuda ALIAS torch_cuda)

# Where libraries opened by name (NVRTC, CUPTI) are found from the build tree; a bundle's launcher sets LD_LIBRARY_PATH instead.
set(CMAKE_BUILD_RPATH "${TORCH_LIB};${CUDART_LIB}")

# One precompiled header for every file that includes torch: 15 s become 2.
add_library(torch_pch OBJECT "${CMAKE_SOURCE_DIR}/cmake/pch.cpp")
target_link_libraries(torch_pch PUBLIC torch_headers)
target_include_directories(torch_pch PRIVATE "${CMAKE_SOURCE_DIR}")
target_precompile_headers(torch_pch PRIVATE <cmake/torch_pch.h>)
