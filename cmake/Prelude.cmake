# codegen::cudaPrelude(): the text of codegen/cuda_prelude.cuh, compiled into the program.
file(GLOB prelude CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/codegen/cuda_prelude.cuh")
if(prelude)
  set(embedded "${CMAKE_BINARY_DIR}/generated/cuda_prelude.cpp")
  add_custom_command(OUTPUT "${embedded}" DEPENDS "${prelude}" "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
                     COMMAND "${CMAKE_COMMAND}" "-DIN=${prelude}" "-DOUT=${embedded}" -DNAMESPACE=codegen -DFUNCTION=cudaPrelude
                             -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake")
  target_sources(codegen PRIVATE "${embedded}")
endif()
