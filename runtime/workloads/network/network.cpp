#include "runtime/workloads/network/network.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include "runtime/capture/session.h"
#include "runtime/device.h"
#include "runtime/known_contenders.h"
#include "runtime/torch/precision.h"
#include "runtime/torch/state.h"
#include "runtime/torch/translate.h"
#include "runtime/workloads/network/layered.h"
#include "runtime/workloads/network/library_step.h"
#include "runtime/workloads/network/recurrent_source.h"
#include "runtime/workloads/network/scripted.h"
#include "runtime/workloads/network/step.h"

namespace runtime {
namespace {

/// A creator's name without `_graph`.
std::string_view directName(std::string_view creator) {
  constexpr std::string_view suffix = "_graph";
  return creator.ends_with(suffix) ? creator.substr(0, creator.size() - suffix.size()) : creator;
}

bool isScripted(std::string_view creator) { return creator.find("jit") != std::string_view::npos; }

Forward forwardOf(std::string_view creator, const Recurrent& network) {
  if (creator == "py" || creator == "vl_py") return loopForward(network);
  if (creator == "cudnn" || creator == "aten") return libraryForward(network, creator == "cudnn");
  if (creator == "cudnn_dropout") return libraryForward(network, true);
  if (creator == "cudnn_layernorm") return withIdleNorms(network, libraryForward(network, true));
  if (creator == "vl_cudnn") return packedForward(network);
  apply(network.script);
  Forward forward = scriptedForward(network, recurrentSource(creator, network), functionOf(creator));
  return network.lengths.empty() ? std::move(forward) : perSequence(network, std::move(forward));
}

/// Whether cuDNN, which computes f32 as TF32 unless torch's settings say otherwise, does so.
bool usesTf32(std::string_view creator, const Operands& operands) {
  const bool isF32 = operands.input.is_cuda() && operands.input.scalar_type() == at::kFloat;
  return isF32 && creator.find("cudnn") != std::string_view::npos && at::globalContext().allowTF32CuDNN(at::Float32Op::RNN);
}

/// An output that remembers what made it.
at::Tensor forwardOnce(const Forward& forward, const Operands& operands) {
  const c10::InferenceMode normal(false);
  const at::AutoGradMode mode(true);
  return forward(operands).front();
}

std::vector<std::string> outputsOf(const Recurrent& network) {
  std::vector<std::string> names{"the output", "the last hidden states"};
  if (network.cell == Cell::Lstm) names.emplace_back("the last cell states");
  if (network.isTraining)
    for (const Parameter& parameter : parametersOf(network)) names.push_back("the gradient of " + parameter.name);
  return names;
}

/// Operands::all() with names.
std::vector<GraphOperand> graphOperands(const Recurrent& network, const Operands& operands) {
  std::vector<GraphOperand> all{{"input", ir::Role::Input, operands.input}, {"h0", ir::Role::Input, operands.h0}};
  if (operands.c0.defined()) all.push_back({"c0", ir::Role::Input, operands.c0});
  const std::vector<Parameter> parameters = parametersOf(network);
  for (size_t i = 0; i < operands.weights.size(); ++i)
    all.push_back({parameters[i].name, ir::Role::Parameter, operands.weights[i]});
  if (operands.gradient.defined()) all.push_back({"gradient", ir::Role::Input, operands.gradient});
  return all;
}

}  // namespace

Network::Network(const inputs::Sample& sample, Device& device, uint64_t seed)
    : op_(sample.op),
      recurrent_(recurrentOf(sample)),
      dropout_(recurrent_.dropout),
      device_(device.torchName()),
      outputs_(outputsOf(recurrent_)) {
  translateErrors(op_, [&] {
    operands_ = makeOperands(recurrent_, device_);
    drawOperands(recurrent_, seed, operands_);
  });
}

void Network::draw(uint64_t seed, const inputs::Data&) {
  translateErrors(op_, [&] { drawOperands(recurrent_, seed, operands_); });
}

TensorList Network::operands(int) const { return makeTensorList(operands_.all()); }

int64_t Network::operandBytes() const {
  int64_t bytes = 0;
  for (const at::Tensor& tensor : operands_.all()) bytes += static_cast<int64_t>(tensor.nbytes());
  return bytes;
}

std::string Network::operandName(int operand) const {
  return graphOperands(recurrent_, operands_).at(static_cast<size_t>(operand)).name;
}

TensorList Network::runEager() {
  return translateErrors(op_, [&] { return makeTensorList(runStep(recurrent_, operands_, loopForward(recurrent_), [] {})); });
}

TensorList Network::runEagerInFloat64() {
  return translateErrors(op_, [&] {
    const Operands wide = copied(operands_, [](const at::Tensor& tensor) { return inFloat64(tensor); });
    return makeTensorList(runStep(recurrent_, wide, loopForward(recurrent_), [] {}));
  });
}

TensorList Network::runEagerNearby(uint64_t seed) {
  return translateErrors(op_, [&] {
    const Operands nearby = copied(operands_, [&](const at::Tensor& tensor) { return offByARounding(tensor, {}, seed++); });
    return makeTensorList(runStep(recurrent_, nearby, loopForward(recurrent_), [] {}));
  });
}

std::optional<Capture> Network::capture(Audit audit) {
  return translateErrors(op_, [&] {
    const auto step = [&](const std::function<void()>& mark) {
      return runStep(recurrent_, operands_, loopForward(recurrent_), mark);
    };
    step([] {});
    reseedGenerator(device_);
    const int phases = static_cast<int>(phasesOf(recurrent_).size());
    return std::optional(captureStep({device_, graphOperands(recurrent_, operands_), outputs_, phases}, step, audit));
  });
}

std::string Network::outputName(int output) const { return outputs_.at(static_cast<size_t>(output)); }

CallablePtr Network::make(const Contender& contender) {
  const KnownContender* creator = creatorOf(contender.name());
  if (creator == nullptr || !computes(*creator, recurrent_.kind))
    ir::fail(ir::ErrorKind::Input, "{} has no contender '{}'", op_, contender.name());
  const std::string_view name = directName(creator->name);
  const bool isCaptured = name != creator->name;
  if (isCaptured && device_.is_cpu()) ir::fail(ir::ErrorKind::Unsupported, "a CUDA graph needs a GPU");
  return translateErrors(op_, [&] {
    Forward forward = forwardOf(name, recurrent_);
    const auto step = [this, forward](const std::function<void()>& mark) {
      return runStep(recurrent_, operands_, forward, mark);
    };
    CallablePtr callable = stepCallable(op_, phasesOf(recurrent_), device_, step, isCaptured);
    warmUp(*callable, *this, isScripted(name) ? warmUpRuns() : 1);
    if (usesTf32(name, operands_)) callable->arithmetic = "tf32";
    if (isScripted(name)) callable->library = "TorchScript";
    if (recurrent_.isTraining && !isScripted(name)) callable->library = libraryOf(forwardOnce(forward, operands_));
    if (isRandom()) callable->reason = "checked without dropout, and by chance with it";
    return callable;
  });
}

}  // namespace runtime
