#include "runtime/workloads/model/model.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>

#include "inputs/data/materialize.h"
#include "runtime/capture/session.h"
#include "runtime/device.h"
#include "runtime/dispatch/drawn_numbers.h"
#include "runtime/dispatch/one_thread.h"
#include "runtime/program/autocast.h"
#include "runtime/program/extents.h"
#include "runtime/program/traced.h"
#include "runtime/torch/precision.h"
#include "runtime/torch/state.h"
#include "runtime/torch/translate.h"
#include "runtime/workloads/model/memory_trace.h"
#include "runtime/workloads/network/scripted.h"
#include "runtime/workloads/network/step.h"

namespace runtime {
namespace {

std::vector<at::Tensor> copies(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> result;
  for (const at::Tensor& tensor : tensors) result.push_back(tensor.detach().clone());
  return result;
}

/// Tensors before a run, and what it does to them.
class Watched {
 public:
  explicit Watched(const std::vector<at::Tensor>& tensors) : tensors_(tensors), before_(copies(tensors)) {
    for (const at::Tensor& tensor : tensors) versions_.push_back(tensor._version());
  }
  /// Puts the values back. Returns the numbers of the tensors that the run wrote, be it by calls that tell autograd nothing, as
  /// batch norms do with their statistics, or with the values that were there.
  std::set<size_t> putBack() const {
    std::set<size_t> written;
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const bool isSame = bitwiseEqual(makeTensorList({tensors_[i]}), makeTensorList({before_[i]}));
      if (isSame && tensors_[i]._version() == versions_[i]) continue;
      written.insert(i);
      tensors_[i].copy_(before_[i]);
    }
    return written;
  }

 private:
  const std::vector<at::Tensor>& tensors_;
  std::vector<at::Tensor> before_;
  std::vector<uint32_t> versions_;
};

/// Whether an archive was exported in this dtype, not in float32: its first weight has it. Constants may have others.
bool isExportedIn(const Program& program, at::ScalarType dtype) {
  for (const StateTensor& tensor : program.state())
    if (at::isFloatingType(tensor.dtype)) return dtype != at::kFloat && tensor.dtype == dtype;
  return false;
}

}  // namespace

Model::Model(const inputs::Sample& sample, Device& device, uint64_t seed, const Programs& programs)
    : op_(sample.op), spec_(modelOf(sample)), device_(device.torchName()) {
  program_ = openProgram(programs.fileOf(spec_.name, spec_.isTraining, spec_.dtype), spec_.inputs);
  outside_ = checkExtents(program_->inputs(), spec_.sizes());
  const at::ScalarType dtype = inputs::scalarType(*ir::dtypeFromTorchName(spec_.dtype));
  if (!isExportedIn(*program_, dtype)) castTo_ = dtype;
  if (const auto baked = program_->bakedDtype(); spec_.dtype != "float32" && castTo_ && baked)
    ir::fail(ir::ErrorKind::Unsupported, "float32 is baked into {}; use --amp", *baked);
  translateErrors(op_, [&] {
    tensors_ = drawn(seed);
    explore();
  });
}

void Model::explore() {
  const c10::InferenceMode normal(false);
  const at::Tensor before = generatorState(device_);
  std::vector<at::Tensor> results;
  {
    const at::NoGradGuard noGrad;
    const Watched state(tensors_.state), inputs(tensors_.inputs);
    results = program_->run(tensors_.state, tensors_.inputs);
    writtenState_ = state.putBack();
    writtenInputs_ = inputs.putBack();
  }
  isRandom_ = !at::equal(before, generatorState(device_));
  if (!spec_.isTraining) {
    pristine_ = copies(written(tensors_));
    for (const std::string& name : program_->outputNames()) outputs_.push_back("output " + name);
    nameWritten();
    return;
  }
  for (size_t i = 0; i < tensors_.state.size(); ++i)  // statistics, which a run without gradients may leave as they are
    if (program_->state()[i].role == Role::Buffer) writtenState_.insert(i);
  if (results.empty()) ir::fail(ir::ErrorKind::Unsupported, "{}: it has no results to train on", op_);
  const bool isLogits = !tensors_.inputs.empty() && results[0].dim() == 3 && !tensors_.inputs[0].is_floating_point() &&
                        tensors_.inputs[0].dim() == 2 && program_->inputs()[0].bound == results[0].size(2);
  if (spec_.loss.empty()) spec_.loss = isLogits ? "cross_entropy" : "mean";
  if (spec_.loss == "cross_entropy" && !isLogits)
    ir::fail(ir::ErrorKind::Input, "{}: its output is no logits of its input's vocabulary; use the loss mean or gradient", op_);
  if (spec_.loss == "gradient") {
    const at::NoGradGuard noGrad;
    reseedGenerator(device_);
    tensors_.gradient = at::randn_like(results[0]);
  }
  if (!spec_.optimizer.name.empty()) tensors_.optimizer.emplace(spec_.optimizer, parametersOf(tensors_));
  if (spec_.scalesGradients) settleScale();
  pristine_ = copies(written(tensors_));
  if (spec_.loss != "gradient") outputs_.emplace_back("the loss");
  for (const std::string& name : program_->outputNames()) outputs_.push_back("output " + name);
  for (const StateTensor& state : program_->state())
    if (state.requiresGrad) outputs_.push_back("the gradient of " + state.name);
  nameWritten();
}

void Model::settleScale() {
  constexpr int most = 32;
  const std::vector<at::Tensor> before = copies(written(tensors_));
  tensors_.scaler.emplace(device_);
  for (int steps = 0; steps < most; ++steps) {
    run(*program_, tensors_, [] {});
    const bool leftOut = tensors_.scaler->leftOut();
    const at::NoGradGuard noGrad;
    const std::vector<at::Tensor> targets = written(tensors_);
    for (size_t i = 0; i < before.size(); ++i) targets[i].copy_(before[i]);
    if (!leftOut) return;
  }
  ir::fail(ir::ErrorKind::Unsupported, "{}: its gradients are not finite at any scale", op_);
}

void Model::restore(int) {
  if (pristine_.empty()) return;
  const c10::InferenceMode normal(false);
  const at::NoGradGuard noGrad;
  const std::vector<at::Tensor> targets = written(tensors_);
  for (size_t i = 0; i < targets.size(); ++i) targets[i].copy_(pristine_[i]);
}

std::vector<at::Tensor> Model::parametersOf(const Tensors& tensors) const {
  std::vector<at::Tensor> parameters;
  for (size_t i = 0; i < tensors.state.size(); ++i)
    if (program_->state()[i].requiresGrad) parameters.push_back(tensors.state[i]);
  return parameters;
}

std::vector<at::Tensor> Model::written(const Tensors& tensors) const {
  std::vector<at::Tensor> result;
  for (const size_t i : writtenState_) result.push_back(tensors.state[i]);
  for (const size_t i : writtenInputs_) result.push_back(tensors.inputs[i]);
  if (!tensors.optimizer) return result;
  const auto scaler = tensors.scaler ? tensors.scaler->state() : std::vector<at::Tensor>();
  for (const std::vector<at::Tensor>& more : {parametersOf(tensors), tensors.optimizer->state(), scaler})
    result.insert(result.end(), more.begin(), more.end());
  return result;
}

std::vector<at::Tensor> Model::all(const Tensors& tensors) {
  std::vector<at::Tensor> result = tensors.state;
  result.insert(result.end(), tensors.inputs.begin(), tensors.inputs.end());
  if (tensors.gradient.defined()) result.push_back(tensors.gradient);
  if (!tensors.optimizer) return result;
  const auto scaler = tensors.scaler ? tensors.scaler->state() : std::vector<at::Tensor>();
  for (const std::vector<at::Tensor>& more : {tensors.optimizer->state(), scaler})
    result.insert(result.end(), more.begin(), more.end());
  return result;
}

TensorList Model::operands(int) const { return makeTensorList(all(tensors_)); }

TensorList Model::readOnly() const {
  std::vector<at::Tensor> result;
  const std::vector<at::Tensor> targets = written(tensors_);
  for (const at::Tensor& tensor : all(tensors_)) {
    const bool isWritten =
        std::any_of(targets.begin(), targets.end(), [&](const at::Tensor& one) { return one.is_same(tensor); });
    if (!isWritten) result.push_back(tensor);
  }
  return makeTensorList(std::move(result));
}

int64_t Model::operandBytes() const {
  int64_t bytes = 0;
  for (const at::Tensor& tensor : all(tensors_)) bytes += static_cast<int64_t>(tensor.nbytes());
  return bytes;
}

std::vector<std::string> Model::phases() const {
  if (!spec_.isTraining) return {"forward"};
  if (spec_.optimizer.name.empty()) return {"forward", "backward"};
  return {"forward", "backward", "optimizer"};
}

at::Tensor Model::lossOf(const std::vector<at::Tensor>& outputs, const Tensors& tensors) const {
  if (spec_.loss == "cross_entropy") return crossEntropy(outputs.at(0), tensors.inputs.at(0));
  return meanOf(outputs);
}

std::vector<at::Tensor> Model::run(const Program& program, Tensors& tensors, const Mark& mark) const {
  const ProgramMode mode(spec_.isTraining);
  std::vector<at::Tensor> results;
  at::Tensor loss;
  inPhase("forward", mark, [&] {
    const Autocast autocast(device_, tensors.areInFloat64() ? std::nullopt : spec_.amp);
    results = program.run(tensors.state, tensors.inputs);
    if (spec_.isTraining && !tensors.gradient.defined()) loss = lossOf(results, tensors);
  });
  if (!spec_.isTraining) {
    mark();
    for (const at::Tensor& tensor : written(tensors)) results.push_back(tensor);
    return results;
  }
  const auto scaled = [&](const at::Tensor& tensor) { return tensors.scaler ? tensors.scaler->scaled(tensor) : tensor; };
  inPhase("backward", mark,
          [&] { loss.defined() ? scaled(loss).backward() : results.front().backward(scaled(tensors.gradient)); });
  const std::vector<at::Tensor> parameters = parametersOf(tensors);
  std::vector<at::Tensor> gradients = takeGradients(parameters);
  if (tensors.optimizer)
    inPhase("optimizer", mark,
            [&] { tensors.scaler ? tensors.scaler->step(*tensors.optimizer, gradients) : tensors.optimizer->step(gradients); });
  mark();
  std::vector<at::Tensor> outputs;
  if (loss.defined()) outputs.push_back(loss.detach());
  for (const at::Tensor& result : results) outputs.push_back(result.detach());
  gradients = orZeros(std::move(gradients), parameters);
  outputs.insert(outputs.end(), gradients.begin(), gradients.end());
  for (const at::Tensor& tensor : written(tensors)) outputs.push_back(tensor.detach());
  return outputs;
}

TensorList Model::runEager() {
  reseedGenerator(device_);
  return runEagerAgain();
}

TensorList Model::runEagerAgain() {
  return translateErrors(op_, [&] {
    restore(0);
    std::vector<at::Tensor> results = settled(run(*program_, tensors_, [] {}));
    restore(0);
    return makeTensorList(std::move(results));
  });
}

std::vector<at::Tensor> Model::settled(std::vector<at::Tensor> results) const {
  const std::vector<at::Tensor> targets = written(tensors_);
  for (at::Tensor& result : results) {
    const auto isAlias = [&](const at::Tensor& target) { return result.is_alias_of(target); };
    if (std::any_of(targets.begin(), targets.end(), isAlias)) result = result.clone();
  }
  return results;
}

Model::Tensors Model::copied(const TensorChange& change) const {
  const c10::InferenceMode normal(false);
  const at::NoGradGuard noGrad;
  const auto copy = [&](const at::Tensor& x) { return x.is_floating_point() ? change(x.detach()) : x.detach().clone(); };
  Tensors copies;
  for (const at::Tensor& tensor : tensors_.state) copies.state.push_back(copy(tensor).set_requires_grad(tensor.requires_grad()));
  for (const at::Tensor& input : tensors_.inputs) copies.inputs.push_back(copy(input));
  if (tensors_.gradient.defined()) copies.gradient = copy(tensors_.gradient);
  if (tensors_.optimizer) copies.optimizer.emplace(spec_.optimizer, parametersOf(copies));
  if (tensors_.scaler) copies.scaler = tensors_.scaler->copy();
  return copies;
}

TensorList Model::runEagerNearby(uint64_t seed) {
  restore(0);
  Tensors nearby = copied([&](const at::Tensor& tensor) { return offByARounding(tensor, spec_.amp, seed++); });
  reseedGenerator(device_);
  return translateErrors(op_, [&] { return makeTensorList(run(*program_, nearby, [] {})); });
}

/// Runs eager in float64 with the numbers that eager drew: ATen would draw other numbers in float64.
TensorList Model::runEagerInFloat64() {
  const std::unique_ptr<Program> program = program_->inFloat64();
  notInFloat64_ = program == nullptr ? "it has no form in float64" : "";
  if (program == nullptr) return {};
  return translateErrors(op_, [&] {
    reseedGenerator(device_);
    restore(0);
    DrawnNumbers numbers = isRandom_ ? numbersDrawnBy(device_, [&] { run(*program_, tensors_, [] {}); }) : DrawnNumbers();
    restore(0);
    Tensors wide = copied([](const at::Tensor& tensor) { return inFloat64(tensor); });
    std::vector<at::Tensor> results;
    notInFloat64_ = runWithNumbers(std::move(numbers), device_, [&] { results = run(*program, wide, [] {}); });
    return notInFloat64_.empty() ? makeTensorList(std::move(results)) : TensorList();
  });
}

std::vector<MemoryLine> Model::traceMemory(MemoryWatch& watch) {
  return translateErrors(op_, [&] {
    restore(0);
    MemoryTrace trace(watch, operandBytes());
    program_->onCall([&](const std::string& name) { trace.end(name); });
    const std::vector<std::string> names = phases();
    size_t begun = 0;
    const auto mark = [&] {
      if (begun > 0) trace.end("(" + names[begun - 1] + ")");
      ++begun;
    };
    run(*program_, tensors_, mark);
    program_->onCall({});
    restore(0);
    return trace.take();
  });
}

/// Whether convolutions of f32 are computed as TF32, as they are on GPUs unless torch's settings say otherwise: kernels of them
/// have more than two dimensions.
bool Model::usesTf32() const {
  if (!device_.is_cuda() || spec_.dtype != "float32" || spec_.amp) return false;
  if (!at::globalContext().allowTF32CuDNN(at::Float32Op::CONV)) return false;
  return std::any_of(program_->state().begin(), program_->state().end(),
                     [](const StateTensor& state) { return state.role == Role::Parameter && state.sizes.size() > 2; });
}

void Model::describe(Callable& callable) const {
  if (usesTf32()) callable.arithmetic = "tf32";
  if (spec_.amp) callable.arithmetic = *spec_.amp == at::kHalf ? "amp float16" : "amp bfloat16";
  if (outside_) callable.reason = *outside_;
  if (!notInFloat64_.empty())
    callable.reason += fmt::format("{}compared with eager alone: {}", outside_ ? "; " : "", notInFloat64_);
}

CallablePtr Model::make(const Contender& contender) {
  const bool isCaptured = contender.name() == "graph";
  if (isCaptured && device_.is_cpu()) ir::fail(ir::ErrorKind::Unsupported, "a CUDA graph needs a GPU");
  if (contender != Contender::Eager && contender != Contender::Torchscript && !isCaptured)
    ir::fail(ir::ErrorKind::Input, "{} has no contender '{}'", op_, contender.name());
  if (isCaptured && spec_.scalesGradients && !spec_.optimizer.isFused)
    ir::fail(ir::ErrorKind::Unsupported, "the host decides whether a step is left out, unless --optimizer-form is fused");
  return translateErrors(op_, [&] {
    const Program* program = program_.get();
    restore(0);
    if (contender == Contender::Torchscript) {
      const ProgramMode mode(spec_.isTraining);
      const Autocast autocast(device_, spec_.amp);
      traced_.push_back(traced(*program_, tensors_.state, tensors_.inputs));
      program = traced_.back().get();
    }
    const auto step = [this, program](const Mark& mark) { return run(*program, tensors_, mark); };
    CallablePtr callable = stepCallable(op_, phases(), device_, step, isCaptured);
    warmUp(*callable, *this, contender == Contender::Torchscript ? warmUpRuns() : isCaptured ? 3 : 1);
    describe(*callable);
    if (contender == reference()) callable->reason = outside_.value_or("");
    return callable;
  });
}

}  // namespace runtime
