#include "runtime/own/libraries.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "ir/error.h"
#include "runtime/contenders/registered.h"
#include "runtime/own/aten_kernels.h"
#include "runtime/own/changed_code.h"
#include "runtime/own/shared_settings.h"

namespace runtime {
namespace {

/// The names of all operators that torch's dispatcher has a schema of.
std::set<std::string> registered() {
  std::set<std::string> names;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames())
    if (c10::Dispatcher::singleton().findSchema(name)) names.insert(toString(name));
  return names;
}

}  // namespace

std::vector<std::string> loadLibrary(const std::string& file) {
  if (!std::filesystem::is_regular_file(file)) ir::fail(ir::ErrorKind::Input, "cannot load {}: there is no such file", file);
  rememberCode();
  rememberSettings();
  rememberKernels();
  const std::set<std::string> before = registered();
  // Without a folder in its name a library would be looked for in the system's folders alone.
  const std::string path = std::filesystem::absolute(file);
  try {
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
      ir::fail(ir::ErrorKind::Input, "cannot load {}: {}", file, dlerror());
  } catch (const c10::Error& error) {
    ir::fail(ir::ErrorKind::Input, "cannot load {}: {}", file, error.what_without_backtrace());
  }
  if (const std::string foreign = foreignKernel(); !foreign.empty())
    ir::fail(ir::ErrorKind::Input, "cannot race beside {}: {}, and eager would call it; register it as an operator of its own",
             file, foreign);
  const std::set<std::string> after = registered();
  std::vector<std::string> names;
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(names));
  return names;
}

void requireRegistered(const std::string& what, const std::string& name, const std::vector<std::string>& loaded) {
  if (isRegistered(name)) return;
  if (loaded.empty())
    ir::fail(ir::ErrorKind::Input, "{} '{}': no loaded library registers an operator; name one with --load", what, name);
  ir::fail(ir::ErrorKind::Input, "{} '{}': no such operator is registered; the loaded libraries register {}", what, name,
           fmt::join(loaded, ", "));
}

}  // namespace runtime
