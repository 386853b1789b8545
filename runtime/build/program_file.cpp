#include "runtime/build/program_file.h"

#include <dlfcn.h>

namespace runtime {

std::filesystem::path programFile() {
  Dl_info object{};
  // Of a program the loader knows the name that it was started by, of a library its path.
  const bool isFound = dladdr(reinterpret_cast<const void*>(&programFile), &object) != 0 && object.dli_fname != nullptr;
  const std::filesystem::path file = isFound ? object.dli_fname : "";
  return file.extension() == ".so" ? std::filesystem::absolute(file) : std::filesystem::read_symlink("/proc/self/exe");
}

}  // namespace runtime
