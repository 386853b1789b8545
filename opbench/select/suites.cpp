#include "opbench/select/suites.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "ir/error.h"
#include "opbench/text/nearest.h"

namespace opbench {

/// Has the calls of other suites once more, as regions: it is raced where it is named.
constexpr std::string_view regionsSuite = "regions";

namespace fs = std::filesystem;

std::string findSuites(const Environment& environment) {
  return environment.suites.empty() ? findShared(environment, "recorded") : environment.suites;
}

std::string findShared(const Environment& environment, const std::string& name) {
  const fs::path folder = environment.program.parent_path();
  for (const fs::path& candidate : {folder.parent_path() / "share/opbench" / name, folder / name}) {
    std::error_code error;
    if (fs::is_directory(candidate, error)) return candidate.string();
  }
  return "";
}

std::vector<std::string> suiteNames(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.is_directory(error)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> samplePaths(const SelectionSettings& options) {
  if (!options.inputs.empty()) return options.inputs;
  if (options.suitesFolder.empty())
    ir::fail(ir::ErrorKind::Input, "no suites beside the program; set OPBENCH_SUITES, or give samples with --inputs");
  const std::vector<std::string> known = suiteNames(options.suitesFolder);
  if (known.empty()) ir::fail(ir::ErrorKind::Input, "{}: no suite in this folder", options.suitesFolder);
  std::vector<std::string> paths, wanted = options.suites;
  if (wanted.empty())
    std::ranges::copy_if(known, std::back_inserter(wanted), [](const auto& name) { return name != regionsSuite; });
  for (const std::string& suite : wanted) {
    if (std::find(known.begin(), known.end(), suite) == known.end())
      ir::fail(ir::ErrorKind::Input, "unknown suite '{}'{} ({} has {})", suite, suggestion(nearest(suite, known)),
               options.suitesFolder, fmt::join(known, ", "));
    paths.push_back((fs::path(options.suitesFolder) / suite).string());
  }
  return paths;
}

inputs::Samples readSamples(const SelectionSettings& options, ir::DType dtype) {
  if (!options.inputs.empty()) return inputs::readSamples(options.inputs);
  const bool isWide = dtype == ir::DType::F32 || dtype == ir::DType::F64;
  return inputs::readSamples(samplePaths(options), [&](const fs::path& file) {
    const std::string name = file.stem().string();
    if (name.ends_with("_float32")) return isWide;
    return !isWide || !(name.ends_with("_float16") || name.ends_with("_bfloat16") || name.ends_with("_amp"));
  });
}

}  // namespace opbench
