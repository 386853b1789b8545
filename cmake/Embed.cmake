# opbench_embed(target file namespace function): the text of a file, compiled into a target as what namespace::function() returns.
function(opbench_embed target file namespace function)
  set(text "${CMAKE_SOURCE_DIR}/${file}")
  set(embedded "${CMAKE_BINARY_DIR}/generated/${function}.cpp")
  add_custom_command(OUTPUT "${embedded}" DEPENDS "${text}" "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
                     COMMAND "${CMAKE_COMMAND}" "-DIN=${text}" "-DOUT=${embedded}" -DNAMESPACE=${namespace} -DFUNCTION=${function}
                             -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake")
  target_sources(${target} PRIVATE "${embedded}")
endfunction()

# The two parts of codegen::cudaPrelude(), and what results are judged by.
opbench_embed(codegen codegen/cuda_prelude.cuh codegen cudaScalarPrelude)
opbench_embed(codegen codegen/cuda_combine.cuh codegen cudaCombinePrelude)
opbench_embed(opbench_core opbench/tolerances.yaml opbench tolerancesText)
