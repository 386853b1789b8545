#include "opbench/check/faults/step_flow.h"

#include <algorithm>
#include <limits>

#include "lowering/partition/data_flow.h"

namespace opbench {

using codegen::CallStep;
using codegen::LaunchStep;
using codegen::Step;

StepFlow::StepFlow(const codegen::Plan& plan)
    : plan_(plan),
      graph_(runtime::withIntermediates(plan)),
      lifetimes_(plan, graph_),
      firstWrites_(lifetimes_.memories(), std::numeric_limits<int>::max()) {
  std::vector<bool> varies(lifetimes_.memories(), false);
  for (size_t memory = 0; memory < lifetimes_.memories(); ++memory) {
    if (lifetimes_.isMade(static_cast<int>(memory))) continue;
    firstWrites_[memory] = -1;
    varies[memory] = true;
  }
  for (const Step& step : plan.steps) {
    const Access access = accessOf(step);
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

int64_t StepFlow::bytesOf(int value) const {
  const ir::TensorType& type = valueOf(value).type;
  return type.storageElements() * ir::sizeOf(type.dtype);
}

bool StepFlow::covers(int value) const {
  const ir::GraphValue& one = valueOf(value);
  return one.storage < 0 || (one.offset == 0 && graph_.storages[static_cast<size_t>(one.storage)].bytes <= bytesOf(value));
}

Access StepFlow::accessOf(const Step& step) const {
  Access access;
  if (const auto* launch = std::get_if<LaunchStep>(&step)) {
    const std::vector<ir::Param>& params = plan_.programs[static_cast<size_t>(launch->program)].params;
    for (size_t i = 0; i < params.size(); ++i) {
      if (params[i].buffer.isWritten) access.writes.push_back(launch->values[i]);
      if (params[i].buffer.isRead || !params[i].buffer.isWritten) access.reads.push_back(launch->values[i]);
    }
    return access;
  }
  const ir::Node& node = graph_.nodes[static_cast<size_t>(std::get<CallStep>(step).node)];
  access.reads = lowering::valuesOf(node);
  access.writes = node.writes;
  access.writes.insert(access.writes.end(), node.outputs.begin(), node.outputs.end());
  return access;
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
    const Access access = accessOf(step);
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
