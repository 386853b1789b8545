#include "opbench/doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "opbench/suites.h"
#include "opbench/version.h"
#include "runtime/device.h"

namespace opbench {
namespace {

namespace fs = std::filesystem;

void addFacts(Diagnosis& diagnosis, runtime::Device& device) {
  for (auto& [what, found] : device.facts()) {
    const bool known =
        std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(), [&](const Finding& f) { return f.what == what; });
    if (!known) diagnosis.findings.push_back({what, found});
  }
}

/// Opens the device and adds what it says about itself, once each; whether it could be used.
bool addDevice(Diagnosis& diagnosis, const std::string& name, int threads) {
  try {
    const auto device = runtime::Device::open(name, threads);
    addFacts(diagnosis, *device);
    return true;
  } catch (const std::exception& error) {
    diagnosis.findings.push_back({name, error.what(), true});
    return false;
  }
}

std::string sizeText(uintmax_t bytes) {
  return bytes < 1'000'000 ? fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3)
                           : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

Finding cacheFinding(const std::string& folder) {
  if (folder.empty()) return {"kernel cache", "none: set OPBENCH_CACHE or HOME, or every kernel is compiled anew", true};
  uintmax_t bytes = 0;
  int entries = 0;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (!entry.is_regular_file(error)) continue;
    ++entries;
    bytes += entry.file_size(error);
  }
  return {"kernel cache", fmt::format("{} ({} entries, {})", folder, entries, sizeText(bytes))};
}

Finding suitesFinding(const Options& options) {
  if (options.suitesFolder.empty()) return {"suites", "none beside the program: set OPBENCH_SUITES, or use --inputs", true};
  const auto names = suiteNames(options.suitesFolder);
  if (names.empty()) return {"suites", fmt::format("none in {}", options.suitesFolder), true};
  return {"suites", fmt::format("{} in {}", fmt::join(names, ", "), options.suitesFolder)};
}

}  // namespace

Diagnosis diagnose(const Options& options) {
  Diagnosis diagnosis;
  diagnosis.findings.push_back({"opbench", versionText().substr(std::string_view("opbench ").size())});
  diagnosis.works = addDevice(diagnosis, "cpu", options.threads);
  std::string why;
  if (runtime::Device::cudaAvailable(&why)) {
    addDevice(diagnosis, "cuda", 0);
  } else {
    diagnosis.findings.push_back({"cuda", why, true});
  }
  diagnosis.findings.push_back(cacheFinding(options.cache));
  diagnosis.findings.push_back(suitesFinding(options));
  return diagnosis;
}

std::string toText(const Diagnosis& diagnosis) {
  size_t width = 0;
  for (const Finding& finding : diagnosis.findings) width = std::max(width, finding.what.size());
  std::string text;
  for (const Finding& finding : diagnosis.findings)
    text += fmt::format("{:>7}  {:<{}}  {}\n", finding.missing ? "missing" : "ok", finding.what, width, finding.found);
  return text + (diagnosis.works ? "opbench can run here\n" : "opbench cannot run here\n");
}

}  // namespace opbench
