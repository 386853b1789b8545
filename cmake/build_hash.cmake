# cmake -DROOT=source -DLIST=file -DOUT=file.cpp -P build_hash.cmake: makes opbench::buildHash() return a hash of what LIST names: the
# configuration, its first line, and the contents and names of files in ROOT, the others. Neither the place of ROOT counts nor when a
# file was written. OUT is left alone where nothing changed.
file(STRINGS "${LIST}" lines)
list(POP_FRONT lines content)
list(SORT lines)
foreach(file IN LISTS lines)
  file(SHA256 "${ROOT}/${file}" hash)
  string(APPEND content "\n${file} ${hash}")
endforeach()
string(SHA256 hash "${content}")
file(CONFIGURE OUTPUT "${OUT}" CONTENT "#include <string_view>

namespace opbench {
std::string_view buildHash();
std::string_view buildHash() { return \"${hash}\"; }
}  // namespace opbench
" @ONLY)
