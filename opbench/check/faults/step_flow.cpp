#include "opbench/check/faults/step_flow.h"

#include <algorithm>
#include <limits>

namespace opbench {

using codegen::Access;
using codegen::CallStep;
using codegen::Step;

StepFlow::StepFlow(const codegen::Plan& plan)
    : plan_(plan),
      graph_(codegen::withIntermediates(plan)),
      lifetimes_(plan, graph_),
      firstWrites_(lifetimes_.memories(), std::numeric_limits<int>::max()) {
  std::vector<bool> varies(lifetimes_.memories(), false);
  for (size_t memory = 0; memory < lifetimes_.memories(); ++memory) {
    if (lifetimes_.isMade(static_cast<int>(memory))) continue;
    firstWrites_[memory] = -1;
    varies[memory] = true;
  }
  for (const Step& step : plan.steps) {
    const Access access = codegen::accessOf(step, plan_, graph_);
    const bool isVaried =
        std::any_of(access.reads.begin(), access.reads.end(), [&](int value) { return varies[memoryOf(value)]; });
    for (const int value : access.writes) {
      firstWrites_[memoryOf(value)] = std::min(firstWrites_[memoryOf(value)], static_cast<int>(accesses_.size()));
      if (isVaried) varies[memoryOf(value)] = true;
    }
    isVaried_.push_back(isVaried);
    accesses_.push_back(access);
  }
}

int StepFlow::common(const std::vector<int>& values, const std::vector<int>& others) const {
  for (const int value : values)
    for (const int other : others)
      if (memoryOf(value) == memoryOf(other)) return value;
  return -1;
}

bool StepFlow::mayPass(const Access& earlier, const Access& later) const {
  return common(later.reads, earlier.writes) < 0 && common(later.writes, earlier.writes) < 0 &&
         common(later.writes, earlier.reads) < 0;
}

bool StepFlow::mayMeet(size_t earlier, size_t later) const {
  for (size_t between = earlier + 1; between < later; ++between)
    if (!mayPass(accesses_[between], accesses_[later])) return false;
  return true;
}

bool StepFlow::canRun(const std::vector<Step>& steps) const {
  std::vector<bool> isThere;
  for (const int first : firstWrites_) isThere.push_back(first < 0);
  for (const Step& step : steps) {
    const Access access = codegen::accessOf(step, plan_, graph_);
    const bool isCall = std::holds_alternative<CallStep>(step);
    const auto isMissing = [&](int value) { return !isThere[memoryOf(value)] && (isCall || !covers(value)); };
    if (std::any_of(access.reads.begin(), access.reads.end(), isMissing)) return false;
    if (!isCall && std::any_of(access.writes.begin(), access.writes.end(), isMissing)) return false;
    for (const auto* values : {&access.reads, &access.writes})
      for (const int value : *values) isThere[memoryOf(value)] = true;
  }
  return true;
}

}  // namespace opbench
