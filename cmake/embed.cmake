# cmake -DIN=files -DOUT=file.cpp -DNAMESPACE=n -DFUNCTION=f -P embed.cmake: makes n::f() return the text of IN.
set(text "")
foreach(file IN LISTS IN)
  file(READ "${file}" part)
  string(APPEND text "${part}")
endforeach()
file(WRITE "${OUT}" "#include <string_view>

namespace ${NAMESPACE} {
std::string_view ${FUNCTION}();
std::string_view ${FUNCTION}() {
  return R\"opbench_embed(${text})opbench_embed\";
}
}  // namespace ${NAMESPACE}
")
