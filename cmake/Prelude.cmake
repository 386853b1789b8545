# The two parts of codegen::cudaPrelude(), codegen/cuda_prelude.cuh and cuda_combine.cuh: their texts, compiled into the program.
function(opbench_embed_cuda file function)
  set(text "${CMAKE_SOURCE_DIR}/codegen/${file}.cuh")
  set(embedded "${CMAKE_BINARY_DIR}/generated/${file}.cpp")
  add_custom_command(OUTPUT "${embedded}" DEPENDS "${text}" "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
                     COMMAND "${CMAKE_COMMAND}" "-DIN=${text}" "-DOUT=${embedded}" -DNAMESPACE=codegen -DFUNCTION=${function}
                             -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake")
  target_sources(codegen PRIVATE "${embedded}")
endfunction()

opbench_embed_cuda(cuda_prelude cudaScalarPrelude)
opbench_embed_cuda(cuda_combine cudaCombinePrelude)
