#include "runtime/own/shared_settings.h"

#include <ATen/Parallel.h>
#include <c10/core/CPUAllocator.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/cpu/host.h"
#include "runtime/cpu/processors.h"

namespace runtime {
namespace {

/// A setting as text, and what is said where it is another one.
struct Setting {
  const char* change;
  std::string value;
};

/// Timers of the process that run: the timers of setitimer, and of timer_create, which the kernel lists.
std::string timers() {
  std::string running;
  for (const auto which : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval timer{};
    if (::getitimer(which, &timer) == 0 && (timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0))
      running += fmt::format("{} ", static_cast<int>(which));
  }
  std::ifstream listed("/proc/self/timers");
  for (std::string line; std::getline(listed, line);)
    if (line.starts_with("ID:")) running += line + " ";
  return running;
}

/// Processes that this one has forked and that still run; processes that opbench starts have groups of their own.
std::string children() {
  std::string own;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream listed(thread.path() / "children");
    for (pid_t child = 0; listed >> child;)
      if (::getpgid(child) == ::getpgrp()) own += fmt::format("{} ", child);
  }
  return own;
}

/// The variables that libraries of arithmetic and of threads read; drivers set others of their own.
std::string environmentNow() {
  constexpr std::array prefixes{"OMP_", "GOMP_", "KMP_", "MKL_", "DNNL_", "ONEDNN_", "TORCH_", "ATEN_"};
  std::set<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    if (std::any_of(prefixes.begin(), prefixes.end(),
                    [&](const char* prefix) { return std::string_view(*variable).starts_with(prefix); }))
      variables.insert(*variable);
  std::string all;
  for (const std::string& variable : variables) all += variable + '\n';
  return all;
}

std::vector<Setting> settingsNow() {
  const std::vector<int> processors = allowedProcessors();
  std::string bound;
  for (const int processor : processors) bound += fmt::format("{} ", processor);
  return {
      {"ATen's allocator of host memory was exchanged", fmt::format("{}", static_cast<const void*>(c10::GetCPUAllocator()))},
      {"ATen was given another number of threads", fmt::format("{}", at::get_num_threads())},
      {"the processor's rounding was changed", fmt::format("{:x}", floatingControl())},
      {"the thread that is timed was bound to other processors", bound},
      {"the priority of the process was changed", fmt::format("{} {}", ::getpriority(PRIO_PROCESS, 0), ::sched_getscheduler(0))},
      {"a timer was started that interrupts the process", timers()},
      {"a process was started that still runs", children()},
      {"the environment was changed", environmentNow()}};
}

std::optional<std::vector<Setting>>& rememberedSettings() {
  static std::optional<std::vector<Setting>> settings;
  return settings;
}

}  // namespace

void rememberSettings() {
  if (!rememberedSettings()) rememberedSettings() = settingsNow();
}

std::string changedSettings() {
  if (!rememberedSettings()) return "";
  const std::vector<Setting> now = settingsNow();
  for (size_t i = 0; i < now.size(); ++i)
    if (now[i].value != rememberedSettings()->at(i).value) return now[i].change;
  return "";
}

}  // namespace runtime
