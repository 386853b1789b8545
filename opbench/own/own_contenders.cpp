#include "opbench/own/own_contenders.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "inputs/operator_name.h"
#include "ir/error.h"
#include "opbench/own/kernel_reader.h"
#include "opbench/results/contenders.h"
#include "opbench/text/nearest.h"
#include "runtime/contenders/registered.h"
#include "runtime/own/libraries.h"

namespace opbench {

using runtime::KernelFile;

namespace {

/// Error: Input unless a loaded library has registered an operator of the namespace.
void requireNamespace(const std::string& name, const std::vector<std::string>& loaded) {
  if (runtime::isNamespace(name)) return;
  std::vector<std::string> known = contenderNames();
  for (const std::string& op : loaded) {
    const std::string space = op.substr(0, op.find("::"));
    if (std::find(known.begin(), known.end(), space) == known.end()) known.push_back(space);
  }
  ir::fail(ir::ErrorKind::Input, "unknown contender '{}': no library registers operators of such a namespace; choose from {}{}",
           name, fmt::join(known, ", "), suggestion(nearest(name, known)));
}

}  // namespace

void loadLibraries(const ContenderSettings& options) {
  std::vector<std::string> loaded;
  for (const std::string& file : options.libraries) {
    const std::vector<std::string> names = runtime::loadLibrary(file);
    loaded.insert(loaded.end(), names.begin(), names.end());
  }
  for (const std::string& text : options.references)
    runtime::requireRegistered("unknown reference", inputs::ownOperatorOf(text).reference, loaded);
  for (const Contender& contender : options.contenders)
    if (isNamespace(contender)) {
      requireNamespace(contender.name(), loaded);
    } else if (contender.isOwn() && !contender.isKernel()) {
      runtime::requireRegistered("unknown contender", contender.untargeted().name(), loaded);
    }
}

std::vector<KernelFile> kernelFilesOf(const ContenderSettings& options, const ir::Target& target) {
  const bool isGpu = target.backend == ir::Backend::Cuda;
  if (!options.kernels.empty() && !isGpu) ir::fail(ir::ErrorKind::Input, "--kernel needs a GPU, and the device is a CPU");
  std::vector<KernelFile> files;
  std::vector<std::string> names;
  for (const std::string& path : options.kernels) {
    files.push_back(readKernelFile(path));
    const std::string& name = names.emplace_back(files.back().contender);
    if (std::count(names.begin(), names.end(), name) > 1)
      ir::fail(ir::ErrorKind::Input, "{}: another --kernel is {} too", path, name);
  }
  const auto races = [&](const std::string& name) { return options.races(Contender(name)); };
  if (!names.empty() && std::none_of(names.begin(), names.end(), races))
    ir::fail(ir::ErrorKind::Input, "--kernel is given, and no kernel races: add {} to --contenders", names.front());
  for (const Contender& contender : options.contenders) {
    if (!contender.isKernel() || std::count(names.begin(), names.end(), contender.untargeted().name()) > 0) continue;
    if (names.empty()) ir::fail(ir::ErrorKind::Input, "unknown contender '{}': name its file with --kernel", contender.name());
    ir::fail(ir::ErrorKind::Input, "unknown contender '{}': the files of --kernel are {}", contender.name(),
             fmt::join(names, ", "));
  }
  return files;
}

}  // namespace opbench
