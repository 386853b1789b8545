#include "runtime/build/program_file.h"

#include <dlfcn.h>

#include <string>
#include <string_view>

namespace runtime {

std::filesystem::path programFile() {
  Dl_info object{};
  // The loader knows a program by the name that it was started by, a library by its path.
  const bool isFound = dladdr(reinterpret_cast<const void*>(&programFile), &object) != 0 && object.dli_fname != nullptr;
  const std::filesystem::path file = isFound ? object.dli_fname : "";
  return file.extension() == ".so" ? std::filesystem::absolute(file) : std::filesystem::read_symlink("/proc/self/exe");
}

std::filesystem::path starterFile() {
  const std::filesystem::path file = programFile();
  const std::string name = file.stem();
  constexpr std::string_view prefix = "lib";
  return file.extension() == ".so" && name.starts_with(prefix) ? file.parent_path() / name.substr(prefix.size()) : file;
}

}  // namespace runtime
