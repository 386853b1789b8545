#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "ir/error.h"
#include "runtime/build/orc.h"

namespace runtime {
namespace {

namespace fs = std::filesystem;

std::string readWord(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

/// `48K`, `2M`, `1024`, in bytes; 0 for anything else.
int64_t bytesOf(const std::string& text) {
  size_t used = 0;
  int64_t value = 0;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception&) {
    return 0;
  }
  const char unit = used < text.size() ? text[used] : ' ';
  return unit == 'K' ? value << 10 : unit == 'M' ? value << 20 : unit == 'G' ? value << 30 : value;
}

/// How many CPUs a list such as `0-3,8` names; at least 1.
int64_t countCpus(const std::string& list) {
  int64_t count = 0;
  size_t at = 0;
  while (at < list.size()) {
    const size_t end = std::min(list.find(',', at), list.size());
    const std::string range = list.substr(at, end - at);
    const size_t dash = range.find('-');
    count += dash == std::string::npos ? 1 : bytesOf(range.substr(dash + 1)) - bytesOf(range) + 1;
    at = end + 1;
  }
  return std::max<int64_t>(count, 1);
}

/// A thread's share of the second-level cache, as Linux tells it; 1 MiB where it does not.
int64_t cacheBytes() {
  int64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/sys/devices/system/cpu/cpu0/cache", error)) {
    if (readWord(entry.path() / "level") != "2") continue;
    bytes += bytesOf(readWord(entry.path() / "size")) / countCpus(readWord(entry.path() / "shared_cpu_list"));
  }
  return bytes == 0 ? int64_t{1} << 20 : bytes;
}

std::string featuresOf(const llvm::StringMap<bool>& features) {
  std::vector<std::string> all;
  for (const auto& feature : features) all.push_back((feature.second ? "+" : "-") + feature.first().str());
  std::sort(all.begin(), all.end());
  return fmt::format("{}", fmt::join(all, ","));
}

int vectorBytes(const llvm::StringMap<bool>& features) {
  const auto has = [&](std::initializer_list<const char*> names) {
    return std::all_of(names.begin(), names.end(), [&](const char* name) { return features.lookup(name); });
  };
  if (has({"avx512f", "avx512bw", "avx512vl", "avx512dq"})) return 64;
  return has({"avx2", "fma", "f16c"}) ? 32 : 16;
}

}  // namespace

bool Orc::isHeldToAvx2() {
  const char* capability = std::getenv("ATEN_CPU_CAPABILITY");
  return capability != nullptr && std::string_view(capability) == "avx2" && vectorBytes(llvm::sys::getHostCPUFeatures()) == 64;
}

ir::Target Orc::host(int threads) {
  if (isHeldToAvx2()) {
    ir::Target target = ir::targetOf("haswell");
    target.processors = threads;
    target.cacheBytes = cacheBytes();
    return target;
  }
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return {ir::Backend::Cpu, llvm::sys::getHostCPUName().str(), featuresOf(features), vectorBytes(features), threads,
          cacheBytes()};
}

}  // namespace runtime
