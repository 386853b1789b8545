#include "runtime/planned.h"

#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <utility>

#include "runtime/profile/recorder.h"
#include "runtime/torch/call_graph.h"

namespace runtime {

PlannedCallable::PlannedCallable(Workload& workload, const codegen::Plan& plan, Device& device, const Cache& cache)
    : workload_(workload), device_(device.torchName()) {
  kind = Kind::Generated;
  inputValues_ = plan.graph.inputs;
  ir::Graph graph = plan.graph;
  graph.values.insert(graph.values.end(), plan.intermediates.begin(), plan.intermediates.end());
  pointers_.assign(graph.values.size(), nullptr);
  use(0);
  if (graph.generator) {
    const c10::InferenceMode guard;
    generator_ = at::empty({2}, at::TensorOptions(at::kLong).device(device_));
    pointers_[*graph.generator] = generator_.data_ptr();
    reseed();
  }
  for (int value : graph.outputs) addMade(graph, value);
  outputs_ = made_.size();
  for (const codegen::Step& step : plan.steps) addLaunch(std::get<codegen::LaunchStep>(step), device, cache);
  for (const Launch& launch : launches_) {
    for (int value : launch.values)
      if (value != graph.generator) addMade(graph, value);
  }
  kernels = static_cast<int>(launches_.size());
  for (const std::optional<lowering::Schedule>& one : plan.schedules)
    if (one) schedule += (schedule.empty() ? "" : "; ") + toText(*one);
}

void PlannedCallable::use(int number) {
  inputs_ = graphInputs(workload_.operands(number));
  ir::require(inputs_.size() == inputValues_.size(), "a plan takes {} tensors, its workload has {}", inputValues_.size(),
              inputs_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) pointers_[inputValues_[i]] = inputs_[i].data_ptr();
}

void PlannedCallable::addMade(const ir::Graph& graph, int value) {
  const auto isValue = [value](const RunTensor& made) { return made.value == value; };
  RunTensor made = runTensor(graph, value);
  if (std::any_of(made_.begin(), made_.end(), isValue) || (made.input >= 0 && outputs_ > 0)) return;
  made_.push_back(std::move(made));
}

void PlannedCallable::addLaunch(const codegen::LaunchStep& step, Device& device, const Cache& cache) {
  Launch launch{device.compile(step.program, cache), step.values, {}, {}, step.program.name};
  for (std::size_t i = 0; i < step.values.size(); ++i) launch.alignments.push_back(step.program.params.at(i).alignment);
  launch.pointers.resize(step.values.size());
  compileMs += launch.executable->compileMs;
  cached = launch.executable->cached && (launches_.empty() || cached);
  launches_.push_back(std::move(launch));
}

void PlannedCallable::reload() {
  for (Launch& launch : launches_) {
    ExecutablePtr fresh = launch.executable->again();
    if (fresh == nullptr) continue;
    earlier_.push_back(std::exchange(launch.executable, std::move(fresh)));
  }
}

void PlannedCallable::reseed() {
  if (!generator_.defined()) return;
  const c10::InferenceMode guard;
  generator_[0].fill_(static_cast<int64_t>(workload_.seed()));
  generator_[1].fill_(0);
}

void PlannedCallable::advance() {
  if (!generator_.defined()) return;
  const c10::InferenceMode guard;
  generator_[1].add_(1);
}

void PlannedCallable::start(Launch& launch) {
  for (std::size_t i = 0; i < launch.values.size(); ++i) {
    void* pointer = pointers_[launch.values[i]];
    if (reinterpret_cast<uintptr_t>(pointer) % launch.alignments[i] != 0) {
      ir::fail(ir::ErrorKind::Internal, "parameter {} of a kernel of {} is not aligned to {} bytes", i, workload_.op(),
               launch.alignments[i]);
    }
    launch.pointers[i] = pointer;
  }
  const Range range(launch.name, Range::Of::Call);
  launch.executable->launch(launch.pointers.data());
}

TensorList PlannedCallable::operator()() {
  const c10::InferenceMode guard;
  std::vector<at::Tensor> tensors;
  tensors.reserve(made_.size());
  for (const RunTensor& made : made_) {
    tensors.push_back(allocate(made, inputs_, device_, guards_));
    pointers_[made.value] = tensors.back().data_ptr();
  }
  for (Launch& launch : launches_) start(launch);
  tensors.resize(outputs_);
  return makeTensorList(std::move(tensors));
}

}  // namespace runtime
