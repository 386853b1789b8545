#include "opbench/verbs/doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "opbench/select/suites.h"
#include "opbench/text/version.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"

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
    const auto device = runtime::openDevice(name, threads);
    addFacts(diagnosis, *device);
    return true;
  } catch (const std::exception& error) {
    diagnosis.findings.push_back({name, error.what(), true});
    return false;
  }
}

std::string sizeText(int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 1e6) return fmt::format("{:.1f} kB", size / 1e3);
  return size < 1e9 ? fmt::format("{:.1f} MB", size / 1e6) : fmt::format("{:.1f} GB", size / 1e9);
}

/// A folder that is yet to be made is left so.
Finding cacheFinding(const runtime::CacheSettings& settings) {
  const std::string what = settings.isShared ? "shared cache" : "kernel cache";
  if (settings.folder.empty()) return {what, "none; set OPBENCH_CACHE or HOME to keep kernels between runs", true};
  if (std::error_code error; !settings.isShared && fs::symlink_status(settings.folder, error).type() == fs::file_type::not_found)
    return {what, settings.folder + " (not made yet)"};
  const runtime::Cache cache(settings);
  if (!cache.isOpen()) return {what, cache.complaint(), true};
  const auto [entries, bytes] = cache.use();
  const std::string most = settings.mostBytes == 0 ? "" : " of " + sizeText(settings.mostBytes);
  return {what, fmt::format("{} ({} entries, {}{})", settings.folder, entries, sizeText(bytes), most)};
}

Finding suitesFinding(const Options& options) {
  if (options.suitesFolder.empty()) return {"suites", "none beside the program; set OPBENCH_SUITES, or use --inputs", true};
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
  if (runtime::cudaAvailable(&why)) {
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
