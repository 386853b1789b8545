#include "opbench/profile/summary.h"

#include <algorithm>
#include <limits>
#include <map>

namespace opbench::profile {
namespace {

constexpr double secondsPerMicrosecond = 1e-6;

/// The runs of one contender.
struct Runs {
  std::string contender;
  std::vector<Span> runs;
};

std::vector<Runs> runsOf(const Trace& trace) {
  static const std::string prefix = "contender ";
  std::vector<Runs> all;
  for (const HostCall& range : trace.ranges) {
    if (!range.name.starts_with(prefix)) continue;
    Runs one{range.name.substr(prefix.size()), {}};
    for (const HostCall& run : trace.ranges)
      if (run.name == "run" && range.span.holds(run.span.begin)) one.runs.push_back(run.span);
    all.push_back(std::move(one));
  }
  if (!all.empty()) return all;
  Span whole{std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
  const auto extend = [&](const Span& span) { whole = {std::min(whole.begin, span.begin), std::max(whole.end, span.end)}; };
  for (const Kernel& kernel : trace.kernels) extend(kernel.span);
  for (const auto* calls : {&trace.calls, &trace.launches})
    for (const HostCall& call : *calls) extend(call.span);
  if (whole.begin <= whole.end) all.push_back({"all", {whole}});
  return all;
}

/// The launches of a trace by what links them to kernels.
class Launches {
 public:
  explicit Launches(const Trace& trace) {
    for (const HostCall& call : trace.launches) {
      if (call.correlation >= 0) byCorrelation_.emplace(call.correlation, &call);
      if (call.name.find("Synchronize") != std::string::npos) waits_.push_back(&call);
    }
  }
  const HostCall* of(const Kernel& kernel) const {
    const auto found = byCorrelation_.find(kernel.correlation);
    return found == byCorrelation_.end() ? nullptr : found->second;
  }
  /// Whether the host waited for the device within a gap, before it had launched what ended the gap.
  bool waited(const Span& gap, double launched) const {
    return std::any_of(waits_.begin(), waits_.end(), [&](const HostCall* call) {
      return call->span.end > gap.begin && call->span.begin < gap.end && call->span.end <= launched;
    });
  }

 private:
  std::map<int64_t, const HostCall*> byCorrelation_;
  std::vector<const HostCall*> waits_;
};

/// The kernels that a run launched.
std::vector<const Kernel*> kernelsIn(const Span& run, const Trace& trace, const Launches& launches) {
  std::vector<const Kernel*> kernels;
  for (const Kernel& kernel : trace.kernels) {
    const HostCall* launch = launches.of(kernel);
    if (run.holds(launch != nullptr ? launch->span.begin : kernel.span.begin)) kernels.push_back(&kernel);
  }
  return kernels;
}

/// Adds up the time in which nothing ran between the beginning of a run and its end.
void addIdle(const Span& run, const std::vector<const Kernel*>& kernels, const Launches& launches, Idle& idle) {
  double busyUntil = run.begin;
  for (const Kernel* kernel : kernels) {
    const Span gap{busyUntil, kernel->span.begin};
    busyUntil = std::max(busyUntil, kernel->span.end);
    if (gap.length() <= 0) continue;
    const HostCall* launch = launches.of(*kernel);
    const double launched = launch == nullptr ? gap.begin : launch->span.end;
    const double behind = std::clamp(launched - gap.begin, 0.0, gap.length()) * secondsPerMicrosecond;
    (behind > 0 && launches.waited(gap, launched) ? idle.synchronisation : idle.host) += behind;
    idle.latency += gap.length() * secondsPerMicrosecond - behind;
  }
  idle.end += std::max(0.0, run.end - busyUntil) * secondsPerMicrosecond;
}

class Spendings {
 public:
  Spent& of(const std::string& name) {
    Spent& spent = byName_[name];
    spent.name = name;
    return spent;
  }
  std::vector<Spent> mostFirst() const {
    std::vector<Spent> all;
    for (const auto& [_, spent] : byName_) all.push_back(spent);
    std::stable_sort(all.begin(), all.end(), [](const Spent& a, const Spent& b) { return a.seconds > b.seconds; });
    return all;
  }

 private:
  std::map<std::string, Spent> byName_;
};

void addKernel(const Kernel& kernel, Spendings& spendings, std::map<std::string, int64_t>& moved) {
  Spent& spent = spendings.of(kernel.name);
  ++spent.calls;
  spent.seconds += kernel.span.length() * secondsPerMicrosecond;
  if (kernel.registers) spent.registers = std::max(spent.registers.value_or(0), *kernel.registers);
  if (kernel.occupancy) spent.occupancy = std::min(spent.occupancy.value_or(1), *kernel.occupancy);
  if (!kernel.bytes) return;
  moved[kernel.name] += *kernel.bytes;
  if (spent.seconds > 0) spent.bytesPerSecond = static_cast<double>(moved[kernel.name]) / spent.seconds;
}

/// The calls of a run on a CPU. A call's time excludes the calls that it makes on its own thread.
void addCalls(const Span& run, const Trace& trace, Spendings& spendings) {
  struct Open {
    Span span;
    Spent* spent;
  };
  std::map<int64_t, std::vector<Open>> open;  // by thread, the innermost last
  for (const HostCall& call : trace.calls) {
    if (!run.holds(call.span.begin)) continue;
    std::vector<Open>& outer = open[call.thread];
    while (!outer.empty() && outer.back().span.end <= call.span.begin) outer.pop_back();
    const double seconds = call.span.length() * secondsPerMicrosecond;
    if (!outer.empty()) outer.back().spent->seconds -= seconds;
    Spent& spent = spendings.of(call.name);
    ++spent.calls;
    spent.seconds += seconds;
    outer.push_back({call.span, &spent});
  }
}

Profile profileOf(const Runs& runs, const Trace& trace, const Launches& launches) {
  Profile profile;
  profile.contender = runs.contender;
  profile.runs = static_cast<int>(runs.runs.size());
  profile.isOnGpu = !trace.kernels.empty();
  Spendings spendings;
  std::map<std::string, int64_t> moved;
  for (const Span& run : runs.runs) {
    profile.seconds += run.length() * secondsPerMicrosecond;
    const std::vector<const Kernel*> kernels = kernelsIn(run, trace, launches);
    for (const Kernel* kernel : kernels) addKernel(*kernel, spendings, moved);
    if (profile.isOnGpu)
      addIdle(run, kernels, launches, profile.idle);
    else
      addCalls(run, trace, spendings);
  }
  profile.spent = spendings.mostFirst();
  for (const Spent& spent : profile.spent) profile.kernelSeconds += spent.seconds;
  const bool isAll = profile.spent.size() == 1 && trace.bytes && profile.kernelSeconds > 0;
  if (isAll && !profile.spent[0].bytesPerSecond)
    profile.spent[0].bytesPerSecond = static_cast<double>(*trace.bytes * profile.runs) / profile.kernelSeconds;
  return profile;
}

}  // namespace

std::vector<Profile> profilesOf(const Trace& trace) {
  const Launches launches(trace);
  std::vector<Profile> all;
  for (const Runs& runs : runsOf(trace)) all.push_back(profileOf(runs, trace, launches));
  return all;
}

}  // namespace opbench::profile
