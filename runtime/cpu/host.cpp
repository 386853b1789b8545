#include "runtime/cpu/host.h"

#include <ATen/Parallel.h>
#include <cpuid.h>
#include <fmt/format.h>
#include <immintrin.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/cpu/control_groups.h"
#include "runtime/cpu/processors.h"
#include "runtime/torch/parallel.h"

namespace runtime {

unsigned floatingControl() {
  constexpr unsigned flags = 0x3f;  // what happened, which is no setting
  return _mm_getcsr() & ~flags;
}

namespace {

constexpr std::size_t cacheLine = 64;

/// Lines one after the other, on any processor: 50 MB take 30 to 60 ms.
void evictInOrder(const char* begin, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += cacheLine) _mm_clflush(begin + i);
  if (bytes > 0) _mm_clflush(begin + bytes - 1);
}

/// Lines in no order: 50 MB take 2 ms.
__attribute__((target("clflushopt"))) void evictInAnyOrder(const char* begin, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += cacheLine) _mm_clflushopt(const_cast<char*>(begin + i));
  if (bytes > 0) _mm_clflushopt(const_cast<char*>(begin + bytes - 1));
}

bool evictsInAnyOrder() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_CLFLUSHOPT) != 0;
}

}  // namespace

void evictLines(const void* memory, std::size_t bytes) {
  static const auto evict = evictsInAnyOrder() ? evictInAnyOrder : evictInOrder;
  evict(static_cast<const char*>(memory), bytes);
  _mm_mfence();
}

namespace {

/// The processors of the process, as they are before any thread is bound.
const std::vector<int>& ownProcessors() {
  static const std::vector<int> processors = allowedProcessors();
  return processors;
}

}  // namespace

void pinThreads() {
  const std::vector<int>& processors = ownProcessors();
  if (static_cast<int>(processors.size()) < at::get_num_threads()) return;
  onEachThread([&](int thread) { confineTo({processors[static_cast<std::size_t>(thread)]}); });
}

Unbound::Unbound(bool isWanted) {
  if (!isWanted) return;
  before_ = allowedProcessors();
  confineTo(ownProcessors());
}

Unbound::~Unbound() {
  if (!before_.empty() && allowedProcessors() == ownProcessors()) confineTo(before_);
}

int64_t lastLevelCacheBytes(int processors) {
  int last = 0;
  std::map<std::pair<int, std::string>, int64_t> caches;  // by level and by who shares them
  for (int processor = 0; processor < processors; ++processor) {
    const std::filesystem::path folder = fmt::format("/sys/devices/system/cpu/cpu{}/cache", processor);
    std::error_code error;
    for (const auto& cache : std::filesystem::directory_iterator(folder, error)) {
      int level = 0;
      int64_t kilobytes = 0;
      std::string sharers;
      std::ifstream(cache.path() / "level") >> level;
      std::ifstream(cache.path() / "size") >> kilobytes;
      std::ifstream(cache.path() / "shared_cpu_list") >> sharers;
      caches[{level, sharers}] = kilobytes * 1024;
      last = std::max(last, level);
    }
  }
  int64_t bytes = 0;
  for (const auto& [cache, size] : caches)
    if (cache.first == last) bytes += size;
  return bytes;
}

double coreClock() {
  using Clock = std::chrono::steady_clock;
  constexpr int64_t additions = 20000;
  double best = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {  // one that was interrupted looks slow
    const Clock::time_point start = Clock::now();
    int64_t sum = 0;
    for (int64_t i = 0; i < additions; ++i) asm volatile("add $1, %0" : "+r"(sum));
    best = std::max(best, additions / std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

std::optional<Memory> hostMemory() {
  constexpr int64_t kilobyte = 1024;
  Memory memory;
  std::ifstream file("/proc/meminfo");
  int64_t value = 0;
  for (std::string name, unit; file >> name >> value && std::getline(file, unit);) {
    if (name == "MemTotal:") memory.total = value * kilobyte;
    if (name == "MemAvailable:") memory.free = value * kilobyte;
  }
  return memory.total > 0 ? std::optional(withinControlGroups(memory)) : std::nullopt;
}

void resetMostResident() { std::ofstream("/proc/self/clear_refs") << "5"; }

std::optional<int64_t> mostResident() {
  constexpr int64_t kilobyte = 1024;
  std::ifstream file("/proc/self/status");
  for (std::string name, rest; file >> name; std::getline(file, rest)) {
    int64_t value = 0;
    if (name == "VmHWM:" && file >> value) return value * kilobyte;
  }
  return std::nullopt;
}

int64_t killedForMemory() {
  std::ifstream file("/proc/vmstat");
  for (std::string name; file >> name;) {
    int64_t value = 0;
    file >> value;
    if (name == "oom_kill") return value;
  }
  return 0;
}

std::optional<double> stolenSeconds() {
  // cpu user nice system idle iowait irq softirq steal ...
  std::ifstream file("/proc/stat");
  std::string label;
  std::vector<int64_t> ticks(8);
  file >> label;
  for (int64_t& value : ticks) file >> value;
  if (!file) return std::nullopt;
  return static_cast<double>(ticks[7]) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace runtime
