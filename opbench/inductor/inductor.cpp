#include "opbench/inductor/inductor.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/inductor/compile_script.h"
#include "opbench/inductor/request.h"

namespace opbench {
namespace {

const char* nameOf(const ir::Target& target) { return target.backend == ir::Backend::Cpu ? "cpu" : "cuda"; }

constexpr char separator = '\n';  // of the time and the package in an entry of the cache

/// What an entry of the cache holds; nothing where it is none of ours.
std::optional<Inductor::Package> packageOf(const std::string& entry) {
  const size_t end = entry.find(separator);
  if (end == std::string::npos) return std::nullopt;
  return Inductor::Package{entry.substr(end + 1), std::strtod(entry.c_str(), nullptr), true};
}

}  // namespace

Inductor::Inductor(InductorSettings settings, const ir::Target& target, const runtime::Cache& cache)
    : settings_(std::move(settings)),
      target_(target),
      cache_(cache),
      python_(settings_.python, settings_.torch, nameOf(target), settings_.processors) {}

Inductor::Package Inductor::compile(const ir::Graph& graph, const std::vector<std::string>& settings) {
  const int threads = target_.backend == ir::Backend::Cpu ? target_.processors : 0;
  std::vector<std::string> all = settings_.settings;
  all.insert(all.end(), settings.begin(), settings.end());
  const std::string request = inductorRequest(graph, nameOf(target_), threads, all);
  const std::string key =
      fmt::format("inductor 1\n{}\n{}\n{} {}\n{}", compileScript(), settings_.torch, target_.arch, target_.features, request);
  if (const auto entry = cache_.find(key))
    if (auto found = packageOf(*entry)) return *found;
  const TemporaryFile file(".pt2");
  Package made;
  made.ms = 1e3 * python_.compile(request, file.path(), settings_.seconds);
  made.bytes = inputs::readFile(file.path());
  cache_.put(key, fmt::format("{:.3f}{}{}", made.ms, separator, made.bytes));
  return made;
}

TemporaryFile::TemporaryFile(const std::string& ending) {
  std::string pattern = (std::filesystem::temp_directory_path() / "opbench-XXXXXX").string() + ending;
  const int file = ::mkstemps(pattern.data(), static_cast<int>(ending.size()));
  if (file < 0) ir::fail(ir::ErrorKind::Toolchain, "cannot make the file {}: {}", pattern, std::strerror(errno));
  ::close(file);
  path_ = pattern;
}

TemporaryFile::~TemporaryFile() {
  std::error_code error;
  std::filesystem::remove(path_, error);
}

}  // namespace opbench
