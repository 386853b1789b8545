#include "opbench/measure/tune.h"

#include <algorithm>

#include "opbench/text/version.h"
#include "runtime/callable.h"
#include "runtime/contenders/plan/callables.h"

namespace opbench {
namespace {

using lowering::Schedule;

constexpr int tuningRounds = 3;

/// Tunes the kernels of one plan, one after another, each with the best of those before it.
class Tuner {
 public:
  Tuner(const codegen::Plan& plan, runtime::Workload& workload, const Check& check, const Bench& bench)
      : plan_(plan), workload_(workload), check_(check), bench_(bench), schedules_(plan.schedules) {}

  void tuneKernel(size_t number) {
    const lowering::LoopNest& nest = plan_.nests[number];
    const std::vector<Schedule> candidates = lowering::candidates(nest, target(), *plan_.schedules[number]);
    tuning_.candidates += static_cast<int>(candidates.size()) - 1;
    if (candidates.size() == 1) return;
    const std::string key =
        runtime::tuningKey(plan_.nests, schedules_, number, candidates,
                           {target(), bench_.run.deviceName, bench_.device.software(), std::string(buildOf(bench_.run.version))});
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

  runtime::CallablePtr callableOf(size_t number, const Schedule& schedule) const {
    codegen::Schedules schedules = schedules_;
    schedules[number] = schedule;
    return plannedCallable(workload_, codegen::compile(plan_.graph, target(), schedules), bench_.device, bench_.cache);
  }

  void measure(size_t number, const std::vector<Schedule>& schedules, const std::string& key) {
    std::vector<Candidate> candidates;
    for (const Schedule& schedule : schedules)
      candidates.push_back({toText(schedule), [&] { return callableOf(number, schedule); }});
    const Fastest found = findFastest(candidates, tuningRounds, workload_, check_, bench_);
    tuning_.refused.insert(tuning_.refused.end(), found.refused.begin(), found.refused.end());
    if (found.timed.empty()) return;
    for (const TimedCandidate& timed : found.timed)
      tuning_.tried.push_back({static_cast<int>(number), candidates[timed.candidate].name, timed.seconds});
    schedules_[number] = schedules[found.winner];
    tuning_.gain *= found.gain;
    bench_.tunings->put(key, {candidates[found.winner].name, found.gain}, plan_.nests[number].loops.name, bench_.run.deviceName);
  }

  const codegen::Plan& plan_;
  runtime::Workload& workload_;
  const Check& check_;
  const Bench& bench_;
  codegen::Schedules schedules_;
  Tuning tuning_;
  bool isMeasured_ = false;  ///< whether anything raced
};

}  // namespace

Tuning tune(codegen::Plan& plan, runtime::Workload& workload, const Check& check, const Bench& bench) {
  Tuner tuner(plan, workload, check, bench);
  for (size_t i = 0; i < plan.schedules.size(); ++i)
    if (plan.schedules[i]) tuner.tuneKernel(i);
  if (tuner.schedules() != plan.schedules)
    plan = codegen::compile(ir::Graph(plan.graph), bench.device.target(), tuner.schedules());
  return tuner.tuning();
}

}  // namespace opbench
