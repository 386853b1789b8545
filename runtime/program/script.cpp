#include "runtime/program/script.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/jit/serialization/import.h>

#include <charconv>

#include "inputs/data/materialize.h"
#include "inputs/operator_name.h"
#include "inputs/text/printable.h"
#include "inputs/text/scanner.h"
#include "ir/error.h"
#include "runtime/capture/session.h"
#include "runtime/torch/refusal.h"
#include "runtime/torch/schema.h"

namespace runtime {
namespace {

/// The first line of what torch says, without its traces.
std::string firstLine(const std::string& text) { return inputs::printable(text.substr(0, text.find('\n'))); }

/// The last line of it.
std::string lastLine(const std::string& text) {
  const size_t end = text.find_last_not_of('\n'), begin = text.rfind('\n', end);
  return inputs::printable(text.substr(begin + 1, end - begin));
}

/// Where a tensor of the state stands in the modules; tied weights stand in several places.
struct Slot {
  size_t tensor;
  torch::jit::Module module;
  std::string name;
};

/// Refuses what a sample may not call. Operators of TorchScript alone work on its own lists and numbers.
void checkCalls(const std::string& path, const torch::jit::Block& block) {
  for (const torch::jit::Node* node : block.nodes()) {
    for (const torch::jit::Block* inner : node->blocks()) checkCalls(path, *inner);
    const std::string space = node->kind().domainString(), name = node->kind().toUnqualString();
    if (space.ends_with("prim")) continue;
    const std::string op = "aten." + name;
    const auto refuse = [&](const std::string& why) { ir::fail(ir::ErrorKind::Unsupported, "{} calls {}", path, why); };
    if (!space.ends_with("aten"))
      refuse(fmt::format("{}, which is no operator of ATen", inputs::shown(node->kind().toQualString())));
    if (const auto refusal = inputs::refusalOf(op)) refuse("what it may not: " + *refusal);
    if (name == "save" || name == "backward" || name == "grad" || name == "set_grad_enabled")
      refuse(op + ", which does more than compute");
    const c10::FunctionSchema* schema = node->maybeSchema();
    if (schema == nullptr || !c10::Dispatcher::singleton().findSchema(schema->operator_name())) continue;
    if (const auto refusal = refusalOf(*schema); refusal && refusal->find("neither takes nor returns") == std::string::npos)
      refuse(fmt::format("{}, which is refused: {}", op, *refusal));
  }
}

void addNames(const std::string& path, const c10::TypePtr& type, std::vector<std::string>& names) {
  if (type->kind() == c10::TypeKind::TensorType) {
    names.push_back("output " + std::to_string(names.size()));
  } else if (type->kind() == c10::TypeKind::TupleType) {
    for (const c10::TypePtr& inner : type->containedTypes()) addNames(path, inner, names);
  } else {
    ir::fail(ir::ErrorKind::Unsupported, "{} returns a {}: a program returns a tensor or a tuple of tensors", path,
             type->repr_str());
  }
}

class Script : public Program {
 public:
  Script(std::string path, torch::jit::Module module, std::vector<ProgramInput> inputs)
      : path_(std::move(path)), module_(std::move(module)), inputs_(std::move(inputs)) {
    torch::jit::Method forward = module_.get_method("forward");
    const std::shared_ptr<torch::jit::Graph> graph = forward.graph()->copy();
    torch::jit::Inline(*graph);
    checkCalls(path_, *graph->block());
    torch::jit::runRequiredPasses(graph);
    asWritten_ = torch::jit::Code(graph, "forward");
    const auto& schema = forward.function().getSchema();
    const size_t taken = schema.arguments().size() - 1;  // beside the module
    if (inputs_.size() > taken) ir::fail(ir::ErrorKind::Input, "{} takes {} inputs, {} are given", path_, taken, inputs_.size());
    for (size_t i = inputs_.size(); i < taken; ++i)
      if (!schema.arguments()[i + 1].default_value())
        ir::fail(ir::ErrorKind::Input, "{} takes input {}, which is not given: add --input f32:2,3,224,224", path_,
                 inputs::printable(schema.arguments()[i + 1].name()));
    for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i].name = schema.arguments()[i + 1].name();
    addNames(path_, schema.returns().at(0).type(), outputNames_);
    readState();
  }

  const std::vector<StateTensor>& state() const override { return state_; }
  const std::vector<ProgramInput>& inputs() const override { return inputs_; }
  const std::vector<std::string>& outputNames() const override { return outputNames_; }

  std::vector<at::Tensor> run(const std::vector<at::Tensor>& state, const std::vector<at::Tensor>& inputs) const override {
    for (const Slot& slot : slots_) {
      torch::jit::Module module = slot.module;
      if (!module.attr(slot.name).toTensor().is_same(state.at(slot.tensor))) module.setattr(slot.name, state[slot.tensor]);
    }
    try {
      if (isCaptured()) return runAsWritten(inputs);
      return tensorsIn(torch::jit::Module(module_).forward({inputs.begin(), inputs.end()}));
    } catch (const std::runtime_error& error) {  // ATen's words come after those of the interpreter
      TORCH_CHECK(false, path_, ": ", lastLine(error.what()));
    }
  }

  /// A dtype in code cannot be told from its literals without running it.
  std::optional<std::string> bakedDtype() const override { return "TorchScript, whose code may name dtypes"; }
  std::unique_ptr<Program> inFloat64() const override { return nullptr; }

 private:
  /// TorchScript's executor would fuse calls, and derive gradients by itself: the graph of a capture would be another one.
  std::vector<at::Tensor> runAsWritten(const std::vector<at::Tensor>& inputs) const {
    torch::jit::Stack stack{module_._ivalue()};
    stack.insert(stack.end(), inputs.begin(), inputs.end());
    module_.get_method("forward").function().getSchema().checkAndNormalizeInputs(stack, {});
    torch::jit::InterpreterState(asWritten_).run(stack);
    return tensorsIn(stack.at(0));
  }

  void readState() {
    std::map<const void*, size_t> known;
    for (const auto& owner : module_.named_modules()) {
      const std::string prefix = owner.name.empty() ? "" : owner.name + ".";
      const auto add = [&](const auto& attribute, Role role) {
        const at::Tensor& value = attribute.value;
        if (!value.defined()) return;
        const auto [found, isNew] = known.try_emplace(value.unsafeGetTensorImpl(), state_.size());
        if (isNew)
          state_.push_back({prefix + attribute.name, role, value.scalar_type(), value.sizes().vec(), value.strides().vec(),
                            value.requires_grad(), value.detach()});
        slots_.push_back({found->second, owner.value, attribute.name});
      };
      for (const auto& parameter : owner.value.named_parameters(/*recurse=*/false)) add(parameter, Role::Parameter);
      for (const auto& buffer : owner.value.named_buffers(/*recurse=*/false)) add(buffer, Role::Buffer);
    }
  }

  std::string path_;
  torch::jit::Module module_;
  std::vector<ProgramInput> inputs_;
  std::vector<StateTensor> state_;
  std::vector<std::string> outputNames_;
  std::vector<Slot> slots_;
  torch::jit::Code asWritten_;
};

}  // namespace

ProgramInput parseInput(const std::string& text, const std::string& name) {
  constexpr int64_t largest = int64_t{1} << 40;
  const auto refuse = [&] {
    ir::fail(ir::ErrorKind::Input, "{} describes no input as f32:2,3,224,224 does", inputs::shown(text));
  };
  const size_t colon = text.find(':');
  const std::optional<ir::DType> dtype = colon == std::string::npos ? std::nullopt : ir::dtypeFromName(text.substr(0, colon));
  if (!dtype) refuse();
  ProgramInput input{name, inputs::scalarType(*dtype), {}, std::nullopt};
  const char* at = text.data() + colon + 1;
  const char* const end = text.data() + text.size();
  while (at != end) {
    int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent < 1 || extent > largest || (next != end && (*next != ',' || next + 1 == end))) refuse();
    input.dimensions.push_back({extent, -1, extent, extent});
    at = next == end ? end : next + 1;
  }
  return input;
}

std::unique_ptr<Program> openScript(const std::string& path, std::vector<ProgramInput> inputs) {
  const c10::InferenceMode normal(false);
  try {
    torch::jit::Module module = torch::jit::load(path, at::Device(at::kCPU));
    if (!module.find_method("forward")) ir::fail(ir::ErrorKind::Unsupported, "{} has no method forward", path);
    return std::make_unique<Script>(path, std::move(module), std::move(inputs));
  } catch (const ir::Error&) {
    throw;
  } catch (const std::exception& error) {
    ir::fail(ir::ErrorKind::Input, "torch cannot read {}: {}", path, firstLine(error.what()));
  }
}

}  // namespace runtime
