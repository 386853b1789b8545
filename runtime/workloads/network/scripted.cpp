#include "runtime/workloads/network/scripted.h"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/codegen/fuser/interface.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/tensorexpr/kernel.h>

#include "runtime/workloads/network/layered.h"

namespace runtime {
namespace {

using torch::jit::CompilationUnit;
using torch::jit::Function;

std::shared_ptr<CompilationUnit> compiled(const std::string& source) {
  auto unit = std::make_shared<CompilationUnit>();
  unit->define(std::nullopt, source, torch::jit::nativeResolver(), nullptr);
  return unit;
}

c10::List<at::Tensor> listOf(at::ArrayRef<at::Tensor> tensors) { return c10::List<at::Tensor>(tensors); }

/// The states of a tuple.
LayerResult resultOf(const c10::IValue& output, const c10::IValue& states) {
  const auto& pair = states.toTupleRef().elements();
  return {output.toTensor(), pair[0].toTensor(), pair[1].toTensor()};
}

/// A layer by `layer(input, h, c, weight, ..)` or `paired(input, (h, c), weights)`.
Layer scriptedLayer(std::shared_ptr<CompilationUnit> unit, bool isPaired) {
  Function* function = &unit->get_function(isPaired ? "paired" : "layer");
  return [unit = std::move(unit), function, isPaired](const at::Tensor& input, const at::Tensor& h, const at::Tensor& c,
                                                      at::ArrayRef<at::Tensor> weights) -> LayerResult {
    std::vector<c10::IValue> arguments{input};
    if (isPaired) {
      arguments.insert(arguments.end(), {c10::ivalue::Tuple::create(h, c), listOf(weights)});
      const c10::IValue result = (*function)(std::move(arguments));
      return resultOf(result.toTupleRef().elements()[0], result.toTupleRef().elements()[1]);
    }
    arguments.insert(arguments.end(), {h, c});
    arguments.insert(arguments.end(), weights.begin(), weights.end());
    const c10::IValue result = (*function)(std::move(arguments));
    const auto& parts = result.toTupleRef().elements();
    return {parts[0].toTensor(), parts[1].toTensor(), parts[2].toTensor()};
  };
}

using States = std::tuple<at::Tensor, at::Tensor>;

/// A network of one direction by `network(input, states, weights)`.
Forward scriptedNetwork(const Recurrent& network, std::shared_ptr<CompilationUnit> unit) {
  if (network.isBidirectional)
    ir::fail(ir::ErrorKind::Unsupported, "TorchScript over all layers computes one direction alone, as fastrnns has it");
  Function* function = &unit->get_function("network");
  return [&network, unit = std::move(unit), function](const Operands& operands) {
    const auto perLayer = static_cast<size_t>(parametersOfLayer(network));
    c10::List<States> states;
    c10::List<c10::List<at::Tensor>> weights;
    for (int64_t i = 0; i < network.layers; ++i) {
      const at::Tensor h = operands.h0.select(0, i);
      states.push_back({h, operands.c0.defined() ? operands.c0.select(0, i) : h});
      weights.push_back(listOf(at::ArrayRef<at::Tensor>(operands.weights).slice(static_cast<size_t>(i) * perLayer, perLayer)));
    }
    std::vector<c10::IValue> arguments{operands.input, states, weights};
    if (function->getSchema().arguments().size() > arguments.size()) arguments.emplace_back(network.dropout);
    const c10::IValue result = (*function)(std::move(arguments));
    const auto& parts = result.toTupleRef().elements();
    std::vector<at::Tensor> hs, cs;
    for (const c10::IValue& last : parts[1].toListRef()) {
      const LayerResult layer = resultOf(parts[0], last);
      hs.push_back(layer.h);
      cs.push_back(layer.c);
    }
    std::vector<at::Tensor> results{parts[0].toTensor(), at::stack(hs)};
    if (network.cell == Cell::Lstm) results.push_back(at::stack(cs));
    return results;
  };
}

/// What a fuser's name means: the executor's mode, profiling, and which fusers may be used; nothing where torch chooses.
struct FuserSwitches {
  std::string_view name;
  bool executor, profiling, onGpu, tensorExpressions;
};
constexpr FuserSwitches fuserTable[] = {
    {"te", true, true, true, true}, {"old", false, false, true, false}, {"none", false, false, false, false}};

struct ExecutorSwitches {
  std::string_view name;
  bool executor, profiling;
};
constexpr ExecutorSwitches executorTable[] = {{"profiling", true, true}, {"simple", true, false}, {"legacy", false, false}};

}  // namespace

std::string_view functionOf(std::string_view creator) {
  if (creator == "jit_multilayer" || creator == "jit_dropout" || creator == "vl_jit") return "network";
  return creator == "jit_simple" ? "layer" : "paired";
}

Forward scriptedForward(const Recurrent& network, const std::string& source, std::string_view function) {
  std::shared_ptr<CompilationUnit> unit = compiled(source);
  if (function == "network") return scriptedNetwork(network, std::move(unit));
  return layered(network, scriptedLayer(std::move(unit), function == "paired"));
}

int warmUpRuns() { return static_cast<int>(torch::jit::getNumProfiledRuns()) + 2; }

void apply(const ScriptSettings& settings) {
  using namespace torch::jit;
  for (const FuserSwitches& fuser : fuserTable) {
    if (fuser.name != settings.fuser) continue;
    getExecutorMode() = fuser.executor;
    getProfilingMode() = fuser.profiling;
    overrideCanFuseOnGPU(fuser.onGpu);
    if (fuser.name != "old") overrideCanFuseOnCPU(false);
    setTensorExprFuserEnabled(fuser.tensorExpressions);
  }
  for (const ExecutorSwitches& executor : executorTable) {
    if (executor.name != settings.executor) continue;
    getExecutorMode() = executor.executor;
    getProfilingMode() = executor.profiling;
  }
  if (settings.loopLevels > 0) tensorexpr::getTECudaPointwiseLoopLevels() = static_cast<int>(settings.loopLevels);
  if (settings.blockCount > 0) tensorexpr::getTECudaPointwiseBlockCount() = static_cast<int>(settings.blockCount);
  if (settings.blockSize > 0) tensorexpr::getTECudaPointwiseBlockSize() = static_cast<int>(settings.blockSize);
}

}  // namespace runtime
