#include "opbench/measure/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "ir/error.h"
#include "opbench/measure/race.h"
#include "runtime/callable.h"

namespace opbench {
namespace {

using lowering::Schedule;

constexpr int tuningRounds = 3;

/// A schedule of a kernel that is ready to race.
struct Candidate {
  const Schedule* schedule = nullptr;
  runtime::CallablePtr callable;
  std::unique_ptr<runtime::Trial> trial;
};

/// Tunes the kernels of one plan, one after another, each with the best of those before it.
class Tuner {
 public:
  Tuner(const codegen::Plan& plan, runtime::Call& call, const Check& check, const Bench& bench)
      : plan_(plan), call_(call), check_(check), bench_(bench), schedules_(plan.schedules) {}

  void tuneKernel(size_t number) {
    const lowering::LoopNest& nest = plan_.nests[number];
    const std::vector<Schedule> candidates = lowering::candidates(nest, target(), *plan_.schedules[number]);
    tuning_.candidates += static_cast<int>(candidates.size()) - 1;
    if (candidates.size() == 1) return;
    const std::string key = runtime::tuningKey(plan_.nests, schedules_, number, candidates,
                                               {target(), bench_.run.deviceName, bench_.device.software(), bench_.run.version});
    const auto found = bench_.tunings->find(key);
    const auto stored = std::find_if(candidates.begin(), candidates.end(),
                                     [&](const Schedule& schedule) { return found && toText(schedule) == found->schedule; });
    if (stored != candidates.end()) {
      schedules_[number] = *stored;
      tuning_.gain *= found->gain;
      tuning_.isStored = !isMeasured_;
      return;
    }
    isMeasured_ = true;
    tuning_.isStored = false;
    measure(number, candidates, key);
  }

  const codegen::Schedules& schedules() const { return schedules_; }
  const Tuning& tuning() const { return tuning_; }

 private:
  const ir::Target& target() const { return bench_.device.target(); }

  Candidate prepare(size_t number, const Schedule& schedule) const {
    codegen::Schedules schedules = schedules_;
    schedules[number] = schedule;
    Candidate candidate{&schedule, nullptr, nullptr};
    candidate.callable = plannedCallable(call_, codegen::compile(plan_.graph, target(), schedules), bench_.device, bench_.cache);
    candidate.trial = bench_.device.prepare(*candidate.callable, call_);
    if (const std::string wrong = check_(*candidate.trial); !wrong.empty()) ir::fail(ir::ErrorKind::Internal, "{}", wrong);
    return candidate;
  }

  /// The candidates that are right; none where the default is not, which then fails the sample.
  std::vector<Candidate> prepareAll(size_t number, const std::vector<Schedule>& candidates) {
    std::vector<Candidate> prepared;
    for (const Schedule& schedule : candidates) {
      try {
        prepared.push_back(prepare(number, schedule));
      } catch (const std::exception& error) {
        if (prepared.empty()) return {};
        const std::string reason = error.what();
        tuning_.refused.push_back(fmt::format("{}: {}", toText(schedule), reason.substr(0, reason.find('\n'))));
      }
    }
    return prepared;
  }

  /// The medians of trials that race each other.
  std::vector<double> timesOf(const std::vector<runtime::Trial*>& trials) const {
    Pace pace;
    pace.repeats = tuningRounds;
    std::vector<double> seconds;
    for (const Timing& timing : race(trials, mainMeasure(bench_.run), bench_.device, pace, bench_.options.seed).timings)
      seconds.push_back(timing.median);
    return seconds;
  }

  void measure(size_t number, const std::vector<Schedule>& candidates, const std::string& key) {
    const std::vector<Candidate> all = prepareAll(number, candidates);
    if (all.empty()) return;
    std::vector<runtime::Trial*> trials;
    for (const Candidate& candidate : all) trials.push_back(candidate.trial.get());
    for (runtime::Trial* trial : trials) trial->prepareFor(mainMeasure(bench_.run));
    const std::vector<double> seconds = timesOf(trials);
    for (size_t i = 0; i < all.size(); ++i)
      tuning_.tried.push_back({static_cast<int>(number), toText(*all[i].schedule), seconds[i]});
    // The least of many times is partly luck: the winner's gain is that of a race with the default alone.
    size_t winner = fastest(seconds);
    double gain = 1;
    if (winner > 0) {
      const std::vector<double> again = timesOf({trials[0], trials[winner]});
      if (fastest(again) == 0) winner = 0;
      if (winner > 0) gain = again[0] / again[1];
    }
    schedules_[number] = *all[winner].schedule;
    tuning_.gain *= gain;
    bench_.tunings->put(key, {toText(*all[winner].schedule), gain}, plan_.nests[number].loops.name, bench_.run.deviceName);
  }

  const codegen::Plan& plan_;
  runtime::Call& call_;
  const Check& check_;
  const Bench& bench_;
  codegen::Schedules schedules_;
  Tuning tuning_;
  bool isMeasured_ = false;  ///< whether anything raced
};

}  // namespace

size_t fastest(const std::vector<double>& seconds) {
  constexpr double noise = 0.02;
  const auto least = std::min_element(seconds.begin(), seconds.end());
  return *least < (1 - noise) * seconds.front() ? static_cast<size_t>(least - seconds.begin()) : 0;
}

Tuning tune(codegen::Plan& plan, runtime::Call& call, const Check& check, const Bench& bench) {
  Tuner tuner(plan, call, check, bench);
  for (size_t i = 0; i < plan.schedules.size(); ++i)
    if (plan.schedules[i]) tuner.tuneKernel(i);
  if (tuner.schedules() != plan.schedules)
    plan = codegen::compile(ir::Graph(plan.graph), bench.device.target(), tuner.schedules());
  return tuner.tuning();
}

}  // namespace opbench
