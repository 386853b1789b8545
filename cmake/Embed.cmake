# opbench_embed(target file namespace function): the text of a file, compiled into a target as what namespace::function() returns.
function(opbench_embed target file namespace function)
  set(text "${CMAKE_SOURCE_DIR}/${file}")
  set(embedded "${CMAKE_BINARY_DIR}/generated/${function}.cpp")
  add_custom_command(OUTPUT "${embedded}" DEPENDS "${text}" "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
                     COMMAND "${CMAKE_COMMAND}" "-DIN=${text}" "-DOUT=${embedded}" -DNAMESPACE=${namespace} -DFUNCTION=${function}
                             -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake")
  target_sources(${target} PRIVATE "${embedded}")
endfunction()
