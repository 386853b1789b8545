#include "runtime/contenders/plan/planned.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "codegen/accesses.h"
#include "inputs/data/materialize.h"
#include "ir/memories.h"
#include "lowering/graph/product.h"
#include "runtime/build/compiler.h"
#include "runtime/profile/recorder.h"
#include "runtime/torch/call_graph.h"
#include "runtime/torch/guard.h"
#include "runtime/torch/state.h"
#include "runtime/torch/translate.h"
#include "runtime/workloads/call.h"
#include "runtime/workloads/network/step.h"
#include "runtime/workloads/region/region.h"

namespace runtime {
namespace {

using ir::startOf;

/// A value as a view of the memory that another one lies in, whose tensor this is.
at::Tensor viewOf(const ir::GraphValue& value, const at::Tensor& tensor, const ir::GraphValue& other) {
  const auto size = static_cast<int64_t>(ir::sizeOf(value.type.dtype));
  const int64_t start = tensor.storage_offset() * static_cast<int64_t>(tensor.itemsize()) + startOf(value) - startOf(other);
  ir::require(start >= 0 && start % size == 0, "{} lies {} bytes behind the start of its memory", value.name, start);
  auto view = at::detail::make_tensor<c10::TensorImpl>(c10::TensorImpl::VIEW, c10::Storage(tensor.storage()), tensor.key_set(),
                                                       c10::scalarTypeToTypeMeta(inputs::scalarType(value.type.dtype)));
  view.unsafeGetTensorImpl()->set_sizes_and_strides(value.type.sizes, value.type.strides, start / size);
  return view;
}

/// A call's result with the strides of its value: ATen may give others where what it reads is laid out otherwise than it was when
/// the graph was captured.
at::Tensor laidOut(at::Tensor tensor, const ir::GraphValue& value) {
  if (tensor.strides() == at::IntArrayRef(value.type.strides) || tensor.numel() == 0) return tensor;
  at::Tensor other = at::empty_strided(value.type.sizes, value.type.strides, tensor.options());
  other.copy_(tensor);
  return other;
}

}  // namespace

/// Leaves no tensor of a run behind.
class PlannedCallable::Cleared {
 public:
  explicit Cleared(PlannedCallable& callable) : callable_(callable) {}
  ~Cleared() {
    for (const int value : callable_.made_) callable_.tensors_[static_cast<size_t>(value)].reset();
    callable_.arena_.close();
  }
  Cleared(const Cleared&) = delete;
  Cleared& operator=(const Cleared&) = delete;

 private:
  PlannedCallable& callable_;
};

/// A run that is looked at.
struct PlannedCallable::Observed {
  const codegen::Plan& plan;
  GroupObserver& observer;
  std::optional<Region> group{};
};

PlannedCallable::PlannedCallable(Workload& workload, const codegen::Plan& plan, const TensorList& constants, Device& device,
                                 const Cache& cache)
    : workload_(workload),
      device_(device.torchName()),
      constants_(constants),
      graph_(codegen::withIntermediates(plan)),
      lifetimes_(plan, graph_),
      arena_(plan.memory, device_),
      firstOfPhases_(plan.phases),
      tensors_(graph_.values.size()),
      starts_(lifetimes_.memories(), nullptr),
      holders_(lifetimes_.memories(), -1) {
  kind = Kind::Generated;
  constexpr std::array names{"forward", "backward", "optimizer"};
  for (size_t i = 0; i < plan.phases.size(); ++i) phases.emplace_back(names.at(i));
  PlannedCallable::use(0);
  if (graph_.generator && !isNetwork()) makeGenerator();
  for (size_t value = 0; value < graph_.values.size(); ++value)
    if (lifetimes_.isMade(lifetimes_.memoryOf(static_cast<int>(value)))) made_.push_back(static_cast<int>(value));
  compile(plan.programs, device, cache);
  for (const codegen::Step& step : plan.steps) {
    const auto* launch = std::get_if<codegen::LaunchStep>(&step);
    launch != nullptr ? add(*launch, plan) : add(std::get<codegen::CallStep>(step));
  }
  std::set<int> begun;
  for (Step& step : steps_) step.isFirst = begun.insert(step.instance).second;
  std::set<int> ended;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) step->isLast = ended.insert(step->instance).second;
  for (const int output : graph_.outputs) {
    const int memory = lifetimes_.memoryOf(output);
    if (lifetimes_.isMade(memory) && lifetimes_.first(memory) < 0) left_.push_back(runTensor(graph_, output));
  }
  kernels = static_cast<int>(launches_.size());
  if (isNetwork()) plannedBytes = plan.memory.bytes;
  for (const std::optional<lowering::Schedule>& one : plan.schedules)
    if (one) schedule += (schedule.empty() ? "" : "; ") + toText(*one);
}

void PlannedCallable::use(int number) {
  std::vector<at::Tensor> inputs = graphInputs(workload_.operands(number));
  if (constants_) inputs.insert(inputs.end(), constants_.state().tensors.begin(), constants_.state().tensors.end());
  ir::require(inputs.size() == graph_.inputs.size(), "a plan takes {} tensors, its workload has {}", graph_.inputs.size(),
              inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) hold(graph_.inputs[i], std::move(inputs[i]));
}

void PlannedCallable::makeGenerator() {
  const c10::InferenceMode guard;
  generator_ = at::empty({2}, at::TensorOptions(at::kLong).device(device_));
  hold(*graph_.generator, generator_);
  reseed();
}

void PlannedCallable::compile(const std::vector<ir::KernelSource>& programs, Device& device, const Cache& cache) {
  const double ahead = isNetwork() ? compileAll(programs, device.target(), cache) : 0;
  compileMs += ahead;
  for (const ir::KernelSource& program : programs) {
    ExecutablePtr executable = device.compile(program, cache);
    compileMs += executable->compileMs;
    cached = ahead == 0 && executable->cached && (executables_.empty() || cached);
    executables_.push_back(std::move(executable));
  }
}

void PlannedCallable::add(const codegen::LaunchStep& step, const codegen::Plan& plan) {
  const ir::KernelSource& program = plan.programs.at(static_cast<size_t>(step.program));
  Launch launch{static_cast<size_t>(step.program), {}, std::vector<void*>(step.values.size()), codegen::nameOf(plan, step)};
  if (launch.name != program.name) names[program.name] = launch.name;
  for (size_t i = 0; i < step.values.size(); ++i) {
    const int value = step.values[i];
    launch.pointees.push_back({lifetimes_.memoryOf(value), startOf(graph_.values[static_cast<size_t>(value)]),
                               static_cast<uintptr_t>(program.params.at(i).alignment)});
  }
  Step own = ending(steps_.size());
  own.launch = static_cast<int>(launches_.size());
  own.instance = step.instance;
  for (const int value : lifetimes_.valuesOf(steps_.size())) {
    const int memory = lifetimes_.memoryOf(value);
    if (lifetimes_.isMade(memory) && lifetimes_.first(memory) == static_cast<int>(steps_.size()))
      own.makes.push_back(made(value));
  }
  launches_.push_back(std::move(launch));
  steps_.push_back(std::move(own));
}

void PlannedCallable::add(const codegen::CallStep& step) {
  const ir::Node& node = graph_.nodes.at(static_cast<size_t>(step.node));
  BoundCall call = translateErrors(node.op, [&] { return BoundCall(node, device_); });
  if (call.readsHost())
    ir::fail(ir::ErrorKind::Unsupported, "{} brings a number to the host, which may decide what comes next", node.op);
  isRandom_ = isRandom_ || call.isRandom();
  Step own = ending(steps_.size());
  own.call = static_cast<int>(calls_.size());
  std::optional<SplitProduct> product = SplitProduct::of(
      node, graph_, device_.is_cuda() && isNetwork() ? lowering::leastOperations : std::numeric_limits<double>::infinity());
  if (product) own.makes.push_back(made(product->output()));
  calls_.push_back({std::move(call), node.op, wantsGradients(graph_, node.scope.phase), std::move(product)});
  steps_.push_back(std::move(own));
}

PlannedCallable::Step PlannedCallable::ending(size_t number) const {
  Step step;
  if (!isNetwork()) return step;  // what a call makes is handed out, or guarded as that is
  for (const int value : lifetimes_.valuesOf(number)) {
    const int memory = lifetimes_.memoryOf(value);
    const std::vector<int>& all = lifetimes_.valuesIn(memory);
    if (lifetimes_.isMade(memory) && lifetimes_.last(memory) == static_cast<int>(number))
      step.frees.insert(step.frees.end(), all.begin(), all.end());
  }
  return step;
}

RunTensor PlannedCallable::made(int value) const {
  ir::require(ir::covers(graph_, value), "{} does not cover the memory that a step makes",
              graph_.values[static_cast<size_t>(value)].name);
  return runTensor(graph_, value);
}

void PlannedCallable::reload() {
  for (ExecutablePtr& executable : executables_) {
    ExecutablePtr fresh = executable->again();
    if (fresh == nullptr) continue;
    earlier_.push_back(std::exchange(executable, std::move(fresh)));
  }
}

void PlannedCallable::reseed() {
  if (isRandom_) reseedGenerator(device_);
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

void PlannedCallable::hold(int value, at::Tensor tensor) {
  const auto memory = static_cast<size_t>(lifetimes_.memoryOf(value));
  starts_[memory] = static_cast<char*>(tensor.data_ptr()) - startOf(graph_.values[static_cast<size_t>(value)]);
  holders_[memory] = value;
  tensors_[static_cast<size_t>(value)] = std::move(tensor);
}

void PlannedCallable::make(const RunTensor& made) {
  const int memory = lifetimes_.memoryOf(made.value);
  if (arena_.isOpen() && arena_.has(memory)) {
    at::Tensor tensor = arena_.tensor(memory, made);
    if (guards_ == Guards::Written) poison(tensor);
    return hold(made.value, std::move(tensor));
  }
  // Memory is used more than once in a captured run of a network: guards would be written there before it.
  const bool isShared = isNetwork() && guards_ == Guards::Left;
  hold(made.value, allocate(made, {}, device_, isShared ? Guards::None : guards_));
}

const at::Tensor& PlannedCallable::tensorOf(int value) {
  at::Tensor& tensor = tensors_[static_cast<size_t>(value)];
  if (tensor.defined()) return tensor;
  const int holder = holders_[static_cast<size_t>(lifetimes_.memoryOf(value))];
  const auto one = [this](int number) -> const ir::GraphValue& { return graph_.values[static_cast<size_t>(number)]; };
  ir::require(holder >= 0 && tensors_[static_cast<size_t>(holder)].defined(), "{} is needed and not there", one(value).name);
  tensor = viewOf(one(value), tensors_[static_cast<size_t>(holder)], one(holder));
  return tensor;
}

void PlannedCallable::start(Launch& launch) {
  for (size_t i = 0; i < launch.pointees.size(); ++i) {
    const Pointee& pointee = launch.pointees[i];
    char* pointer = starts_[static_cast<size_t>(pointee.memory)] + pointee.offset;
    if (reinterpret_cast<uintptr_t>(pointer) % pointee.alignment != 0) {
      ir::fail(ir::ErrorKind::Internal, "parameter {} of a kernel of {} is not aligned to {} bytes", i, workload_.op(),
               pointee.alignment);
    }
    launch.pointers[i] = pointer;
  }
  const Range range(launch.name, Range::Of::Call);
  executables_[launch.executable]->launch(launch.pointers.data());
}

void PlannedCallable::make(const Call& call) {
  const at::AutoGradMode mode(call.wantsGradients);
  const auto tensors = [this](int value) -> const at::Tensor& { return tensorOf(value); };
  if (call.product) return translateErrors(call.op, [&] { call.product->run(tensors); });
  std::vector<ir::Argument> none;
  std::vector<at::Tensor> made = translateErrors(call.op, [&] { return call.call(tensors, none); });
  for (size_t i = 0; i < made.size(); ++i) {
    const int value = call.call.outputs()[i];
    const int memory = lifetimes_.memoryOf(value);
    const int holder = holders_[static_cast<size_t>(memory)];
    const bool isThere = holder >= 0 && tensors_[static_cast<size_t>(holder)].defined();
    if (!isThere) hold(value, laidOut(std::move(made[i]), graph_.values[static_cast<size_t>(value)]));
  }
}

std::vector<at::Tensor> PlannedCallable::run() {
  if (observed_ == nullptr) arena_.open();  // else values live on, for the calls of groups that are still to come
  size_t phase = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    for (; phase < firstOfPhases_.size() && firstOfPhases_[phase] == static_cast<int>(i); ++phase) mark();
    const Step& step = steps_[i];
    for (const RunTensor& made : step.makes) make(made);
    if (observed_ != nullptr && step.launch >= 0 && step.isFirst) beginGroup(step);
    step.launch >= 0 ? start(launches_[static_cast<size_t>(step.launch)]) : make(calls_[static_cast<size_t>(step.call)]);
    if (observed_ != nullptr && step.launch >= 0 && step.isLast && !endGroup(step)) return {};
    for (const int value : step.frees) tensors_[static_cast<size_t>(value)].reset();
  }
  for (; phase < firstOfPhases_.size(); ++phase) mark();
  if (isNetwork()) mark();
  for (const RunTensor& made : left_) make(made);
  std::vector<at::Tensor> outputs;
  outputs.reserve(graph_.outputs.size());
  for (const int output : graph_.outputs) outputs.push_back(tensorOf(output));
  return outputs;
}

std::vector<at::Tensor> PlannedCallable::tensorsOf(const codegen::Instance& instance, const std::vector<int>& values) {
  std::vector<at::Tensor> tensors;
  for (const int value : values) tensors.push_back(tensorOf(instance.values.at(static_cast<size_t>(value))));
  return tensors;
}

void PlannedCallable::keepInputs(const codegen::Plan& plan) {
  std::map<int, size_t> readers;  // the last of them, by memory
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].launch < 0) continue;
    const codegen::Instance& instance = plan.instances.at(static_cast<size_t>(steps_[i].instance));
    for (const int input : plan.groups.at(static_cast<size_t>(instance.group)).graph.inputs)
      readers[lifetimes_.memoryOf(instance.values.at(static_cast<size_t>(input)))] = i;
  }
  for (size_t i = 0; i < steps_.size(); ++i)
    std::erase_if(steps_[i].frees, [&](int value) {
      const auto reader = readers.find(lifetimes_.memoryOf(value));
      if (reader == readers.end() || reader->second <= i) return false;
      steps_[reader->second].frees.push_back(value);
      return true;
    });
}

void PlannedCallable::beginGroup(const Step& step) {
  const codegen::Instance& instance = observed_->plan.instances.at(static_cast<size_t>(step.instance));
  const ir::Graph& graph = observed_->plan.groups.at(static_cast<size_t>(instance.group)).graph;
  observed_->group.emplace(fmt::format("region.group{}", instance.group + 1), graph, tensorsOf(instance, graph.inputs));
  observed_->observer.begin(instance, *observed_->group);
}

bool PlannedCallable::endGroup(const Step& step) {
  const codegen::Instance& instance = observed_->plan.instances.at(static_cast<size_t>(step.instance));
  std::vector<at::Tensor> found =
      tensorsOf(instance, observed_->plan.groups.at(static_cast<size_t>(instance.group)).graph.outputs);
  const TensorList right = observed_->observer.end(makeTensorList(found));
  observed_->group.reset();
  if (!right) return false;
  const c10::InferenceMode guard;
  for (size_t i = 0; i < found.size(); ++i) found[i].copy_(right.state().tensors.at(i));
  return true;
}

void PlannedCallable::run(const codegen::Plan& plan, GroupObserver& observer) {
  keepInputs(plan);
  Observed observed{plan, observer};
  observed_ = &observed;
  try {
    (*this)();
  } catch (...) {
    observed_ = nullptr;
    throw;
  }
  observed_ = nullptr;
}

TensorList PlannedCallable::operator()() {
  const Cleared cleared(*this);
  if (calls_.empty()) {
    const c10::InferenceMode guard;
    return makeTensorList(run());
  }
  const GraphCalls modes;
  return makeTensorList(run());
}

}  // namespace runtime
