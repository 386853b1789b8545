# opbench_embed(target files namespace function): the text of files, one after the other, compiled into a target as what
# namespace::function() returns.
function(opbench_embed target files namespace function)
  set(texts "")
  foreach(file IN LISTS files)
    get_filename_component(text "${file}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
    list(APPEND texts "${text}")
  endforeach()
  set(embedded "${CMAKE_BINARY_DIR}/generated/${function}.cpp")
  add_custom_command(OUTPUT "${embedded}" DEPENDS ${texts} "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
                     COMMAND "${CMAKE_COMMAND}" "-DIN=${texts}" "-DOUT=${embedded}" -DNAMESPACE=${namespace} -DFUNCTION=${function}
                             -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake" VERBATIM)
  target_sources(${target} PRIVATE "${embedded}")
endfunction()
