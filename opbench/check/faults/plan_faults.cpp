#include "opbench/check/faults/plan_faults.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "codegen/plan_memory.h"
#include "ir/memories.h"
#include "opbench/check/faults/kernel_faults.h"
#include "opbench/check/faults/step_flow.h"

namespace opbench {
namespace {

using codegen::LaunchStep;
using codegen::Plan;
using codegen::Step;
using ir::KernelSource;

/// Makes a mistake among the steps of a network's plan.
class StepBreaker {
 public:
  StepBreaker(Plan& plan, const ir::Target& target) : plan_(plan), target_(target), flow_(plan) {}

  bool operator()(Fault fault) {
    switch (fault) {
      case Fault::SwappedSteps: return swapDependent([](size_t, int) { return true; });
      case Fault::StaleValue: return readOlder();
      case Fault::LostOutput: return loseOutput();
      case Fault::OtherGroup: return exchangeProgram();
      case Fault::DroppedWrite: return dropWrite(true) || dropWrite(false);
      case Fault::SwappedVersions: return swapVersions();
      case Fault::EarlyStore: return storeEarly();
      case Fault::Overlap: return overlap();
      case Fault::OneTensor: return leaveOutTensor();
      case Fault::Neighbour: return exchangeTensors();
      case Fault::SwappedParts: return exchangeParts();
      default: return false;
    }
  }

 private:
  const LaunchStep* launchAt(size_t step) const { return std::get_if<LaunchStep>(&plan_.steps[step]); }
  const KernelSource& programOf(const LaunchStep& launch) const { return plan_.programs[static_cast<size_t>(launch.program)]; }
  bool isOfGraph(int value) const { return static_cast<size_t>(value) < plan_.graph.values.size(); }

  bool take(std::vector<Step> steps) {
    if (!flow_.canRun(steps)) return false;
    plan_.steps = std::move(steps);
    return true;
  }
  /// A step comes before an earlier one.
  bool moveBefore(size_t earlier, size_t step) {
    std::vector<Step> steps = plan_.steps;
    const auto at = [&](size_t i) { return steps.begin() + static_cast<std::ptrdiff_t>(i); };
    std::rotate(at(earlier), at(step), at(step + 1));
    return take(std::move(steps));
  }

  /// A step comes before the one that writes what it reads, where `isPlace` is true of that and the value.
  bool swapDependent(const std::function<bool(size_t writer, int value)>& isPlace) {
    for (size_t writer = 0; writer < flow_.steps(); ++writer) {
      if (!flow_.isVaried(writer)) continue;
      for (size_t reader = writer + 1; reader < flow_.steps(); ++reader) {
        const int value = flow_.common(flow_[reader].reads, flow_[writer].writes);
        if (value < 0 || !flow_.isFloating(value) || !isPlace(writer, value) || !flow_.mayMeet(writer, reader)) continue;
        if (moveBefore(writer, reader)) return true;
      }
    }
    return false;
  }

  bool swapVersions() {
    if (swapDependent([this](size_t writer, int value) { return flow_.isKnown(value, writer); })) return true;
    for (size_t reader = 0; reader < flow_.steps(); ++reader)
      for (size_t writer = reader + 1; writer < flow_.steps(); ++writer) {
        const int value = flow_.common(flow_[writer].writes, flow_[reader].reads);
        if (value >= 0 && flow_.isFloating(value) && flow_.mayMeet(reader, writer) && moveBefore(reader, writer)) return true;
      }
    return false;
  }

  bool readOlder() {
    for (size_t step = 0; step < flow_.steps(); ++step) {
      if (launchAt(step) == nullptr) continue;
      for (const int value : flow_[step].reads) {
        const bool isInPlace = flow_.common({value}, flow_[step].writes) >= 0;
        if (!flow_.isFloating(value) || isInPlace) continue;
        const std::optional<int> older = olderThan(value);
        if (!older) continue;
        std::vector<int>& values = std::get<LaunchStep>(plan_.steps[step]).values;
        std::replace(values.begin(), values.end(), value, *older);
        return true;
      }
    }
    return false;
  }
  /// A value of the same type that was there before the first write of this one.
  std::optional<int> olderThan(int value) const {
    for (int other = static_cast<int>(flow_.graph().values.size()) - 1; other >= 0 && flow_.firstWrite(value) >= 0; --other) {
      const bool isOlder = flow_.firstWrite(other) < flow_.firstWrite(value) && flow_.valueOf(other).offset == 0;
      if (isOlder && flow_.valueOf(other).type == flow_.valueOf(value).type) return other;
    }
    return std::nullopt;
  }

  bool loseOutput() {
    for (size_t step = 0; step < flow_.steps(); ++step) {
      const LaunchStep* launch = launchAt(step);
      if (launch == nullptr || flow_[step].writes.size() < 2 || !flow_.isVaried(step)) continue;
      const int lost = flow_[step].writes.back();
      if (!flow_.isFloating(lost) || !isOfGraph(lost)) continue;
      std::optional<ir::Kernel> kernel = kernelOf(*launch);
      if (!kernel || !breakKernel(*kernel, Fault::UnwrittenOutput)) continue;
      carryOut(step, *kernel);
      return true;
    }
    return false;
  }
  std::optional<ir::Kernel> kernelOf(const LaunchStep& launch) const {
    int program = launch.program;
    for (const Plan& group : plan_.groups) {
      const auto count = static_cast<int>(group.kernels.size());
      if (program < count) return group.kernels[static_cast<size_t>(program)];
      program -= count;
    }
    return std::nullopt;
  }
  /// Has a step launch another kernel on the same values.
  void carryOut(size_t step, const ir::Kernel& kernel) {
    std::get<LaunchStep>(plan_.steps[step]).program = static_cast<int>(plan_.programs.size());
    plan_.programs.push_back(codegen::programOf(kernel, target_));
  }

  /// The largest tensor of a list of numbers keeps what it holds.
  bool leaveOutTensor() {
    for (size_t step = 0; step < flow_.steps(); ++step) {
      const LaunchStep* launch = launchAt(step);
      std::optional<ir::Kernel> kernel = launch != nullptr ? kernelOf(*launch) : std::nullopt;
      if (!kernel || !kernel->list || !flow_.isVaried(step) || !flow_.isFloating(flow_[step].writes.front())) continue;
      std::vector<int64_t>& elements = kernel->list->elements;
      *std::max_element(elements.begin(), elements.end()) = 0;
      carryOut(step, *kernel);
      return true;
    }
    return false;
  }

  /// Two tensors of a list that are alike get each other's results.
  bool exchangeTensors() {
    for (size_t step = 0; step < flow_.steps(); ++step) {
      const LaunchStep* launch = launchAt(step);
      const std::optional<ir::Kernel> kernel = launch != nullptr ? kernelOf(*launch) : std::nullopt;
      if (!kernel || !kernel->list || !flow_.isVaried(step)) continue;
      std::vector<int>& values = std::get<LaunchStep>(plan_.steps[step]).values;
      const size_t params = kernel->params.size();
      for (size_t first = 0; first + params < values.size(); ++first) {
        const bool isWritten = kernel->params[first % params].buffer.isWritten && flow_.isFloating(values[first]);
        for (size_t other = first + params; isWritten && other < values.size(); other += params) {
          if (flow_.valueOf(values[first]).type != flow_.valueOf(values[other]).type) continue;
          std::swap(values[first], values[other]);
          return true;
        }
      }
    }
    return false;
  }

  /// Two tensors that a launch lays side by side change places, such as the weights of the keys and the values of attention.
  bool exchangeParts() {
    for (size_t step = 0; step < flow_.steps(); ++step) {
      const LaunchStep* launch = launchAt(step);
      const std::optional<ir::Kernel> kernel = launch != nullptr ? kernelOf(*launch) : std::nullopt;
      if (!kernel || kernel->list || !flow_.isVaried(step) || !concatenates(*launch)) continue;
      std::vector<int>& values = std::get<LaunchStep>(plan_.steps[step]).values;
      const auto isPart = [&](size_t i) { return !kernel->params[i].buffer.isWritten && flow_.isFloating(values[i]); };
      for (size_t first = 0; first < values.size(); ++first)
        for (size_t other = first + 1; isPart(first) && other < values.size(); ++other) {
          if (!isPart(other) || flow_.valueOf(values[first]).type != flow_.valueOf(values[other]).type) continue;
          std::swap(values[first], values[other]);
          return true;
        }
    }
    return false;
  }
  bool concatenates(const LaunchStep& launch) const {
    const std::vector<int>& nodes = plan_.instances[static_cast<size_t>(launch.instance)].nodes;
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](int node) { return plan_.graph.nodes[static_cast<size_t>(node)].op == "aten.cat.default"; });
  }

  bool exchangeProgram() {
    for (Step& step : plan_.steps) {
      auto* launch = std::get_if<LaunchStep>(&step);
      if (launch == nullptr) continue;
      for (size_t other = 0; other < plan_.programs.size(); ++other) {
        if (!isInterchangeable(programOf(*launch), plan_.programs[other])) continue;
        launch->program = static_cast<int>(other);
        return true;
      }
    }
    return false;
  }
  /// Whether two programs are others and take equal parameters; numbers that are no indices.
  static bool isInterchangeable(const KernelSource& program, const KernelSource& other) {
    const auto isEqual = [](const ir::Param& a, const ir::Param& b) {
      return ir::isFloating(a.buffer.type.dtype) && a.buffer.type == b.buffer.type && a.alignment == b.alignment &&
             a.buffer.isRead == b.buffer.isRead && a.buffer.isWritten == b.buffer.isWritten;
    };
    return program.source != other.source &&
           std::equal(program.params.begin(), program.params.end(), other.params.begin(), other.params.end(), isEqual);
  }

  /// A step goes that writes nothing but memory that holds something; `isPart`: through a view.
  bool dropWrite(bool isPart) {
    for (size_t step = 0; step < flow_.steps(); ++step) {
      const std::vector<int>& writes = flow_[step].writes;
      const auto isKnown = [&](int value) { return flow_.isFloating(value) && flow_.isKnown(value, step); };
      if (writes.empty() || !std::all_of(writes.begin(), writes.end(), isKnown)) continue;
      if (isPart && std::all_of(writes.begin(), writes.end(), [this](int value) { return flow_.covers(value); })) continue;
      std::vector<Step> steps = plan_.steps;
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(step));
      if (!take(std::move(steps))) continue;
      for (int& first : plan_.phases)
        if (first > static_cast<int>(step)) --first;
      return true;
    }
    return false;
  }

  /// A value that a launch makes lies in an input's memory, which a later step reads.
  bool storeEarly() {
    for (size_t step = 0; step < flow_.steps(); ++step) {
      if (launchAt(step) == nullptr || !flow_.isVaried(step)) continue;
      for (const int value : flow_[step].writes) {
        const bool isNew = isOfGraph(value) && flow_.valueOf(value).storage < 0 && !flow_.isKnown(value, step);
        const std::optional<int> input =
            isNew && flow_.isFloating(value) ? inputReadAfter(step, flow_.bytesOf(value)) : std::nullopt;
        if (!input) continue;
        share(value, *input);
        return true;
      }
    }
    return false;
  }
  /// An input of so many bytes at the least that a later step reads.
  std::optional<int> inputReadAfter(size_t step, int64_t bytes) const {
    for (const int input : plan_.graph.inputs) {
      const ir::GraphValue& one = flow_.valueOf(input);
      if (!flow_.isFloating(input) || one.offset != 0 || one.onHost || flow_.bytesOf(input) < bytes) continue;
      for (size_t later = step + 1; later < flow_.steps(); ++later)
        if (flow_.common({input}, flow_[later].reads) >= 0) return input;
    }
    return std::nullopt;
  }
  void share(int value, int input) {
    ir::GraphValue& one = plan_.graph.values[static_cast<size_t>(input)];
    if (one.storage < 0) {
      one.storage = static_cast<int>(plan_.graph.storages.size());
      plan_.graph.storages.push_back({one.name, flow_.bytesOf(input)});
    }
    plan_.graph.values[static_cast<size_t>(value)].storage = one.storage;
  }

  /// A value of the arena lies where another one does that was made before it and is read after it.
  bool overlap() {
    for (size_t step = 0; step < flow_.steps(); ++step)
      for (const int value : flow_[step].writes) {
        const int memory = ir::memoryOf(flow_.graph(), value);
        if (!plan_.memory.has(memory) || flow_.firstWrite(value) != static_cast<int>(step)) continue;
        const std::optional<int> other = placedBeforeAndReadAfter(step);
        if (!other) continue;
        int64_t& offset = plan_.memory.offsets[static_cast<size_t>(memory)];
        offset = plan_.memory.offsets[static_cast<size_t>(ir::memoryOf(flow_.graph(), *other))];
        plan_.memory.bytes = std::max(plan_.memory.bytes, offset + flow_.bytesOf(value));
        return true;
      }
    return false;
  }
  std::optional<int> placedBeforeAndReadAfter(size_t step) const {
    for (size_t reader = step + 1; reader < flow_.steps(); ++reader)
      for (const int value : flow_[reader].reads) {
        const int writer = flow_.firstWrite(value);
        const bool isPlaced = plan_.memory.has(ir::memoryOf(flow_.graph(), value));
        if (isPlaced && flow_.isFloating(value) && writer >= 0 && writer < static_cast<int>(step) && flow_.isVaried(writer))
          return value;
      }
    return std::nullopt;
  }

  Plan& plan_;
  const ir::Target& target_;
  const StepFlow flow_;  ///< of the plan without the mistake
};

/// Puts the fault into the kernels of one group.
bool breakGroup(Plan& plan, Fault fault, const ir::Target& target) {
  size_t first = 0;
  for (Plan& group : plan.groups) {
    Plan broken = group;
    const size_t count = group.programs.size();
    if (breakPlan(broken, fault, target) && broken.programs.size() == count && broken.intermediates == group.intermediates) {
      group = std::move(broken);
      std::copy(group.programs.begin(), group.programs.end(), plan.programs.begin() + static_cast<std::ptrdiff_t>(first));
      return true;
    }
    first += count;
  }
  return false;
}

bool isOfSteps(Fault fault) {
  switch (fault) {
    case Fault::SwappedSteps:
    case Fault::StaleValue:
    case Fault::LostOutput:
    case Fault::OtherGroup:
    case Fault::DroppedWrite:
    case Fault::SwappedVersions:
    case Fault::EarlyStore:
    case Fault::Overlap:
    case Fault::OneTensor:
    case Fault::Neighbour:
    case Fault::SwappedParts: return true;
    default: return false;
  }
}

}  // namespace

bool breakNetworkPlan(Plan& plan, Fault fault, const ir::Target& target) {
  if (!isOfSteps(fault)) return breakGroup(plan, fault, target);
  if (!StepBreaker(plan, target)(fault)) return false;
  if (fault != Fault::Overlap) plan.memory = codegen::planMemory(plan);  // of the plan with its mistake
  return true;
}

}  // namespace opbench
