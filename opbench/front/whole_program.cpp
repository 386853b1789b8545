#include "opbench/front/whole_program.h"

#include <dlfcn.h>

#include <string>

#include "opbench/front/front.h"
#include "runtime/build/program_file.h"

namespace opbench {

int runWholeProgram(int argc, const char* const* argv) {
  using Run = int (*)(int, const char* const*);
  constexpr const char* name = "opbench_run";
  void* run = dlsym(RTLD_DEFAULT, name);
  if (run == nullptr) {
    const std::string library = runtime::programFile().parent_path() / "libopbench.so";
    // Global: the module of CUDA devices finds its symbols.
    void* opened = dlopen(library.c_str(), RTLD_LAZY | RTLD_GLOBAL);
    run = opened == nullptr ? nullptr : dlsym(opened, name);
  }
  return run == nullptr ? refuse(dlerror(), Usage) : reinterpret_cast<Run>(run)(argc, argv);
}

}  // namespace opbench
