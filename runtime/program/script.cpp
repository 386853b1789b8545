#include "runtime/program/script.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <caffe2/serialize/file_adapter.h>
#include <fmt/format.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <charconv>

#include "inputs/data/materialize.h"
#include "inputs/operator_name.h"
#include "inputs/text/printable.h"
#include "inputs/text/scanner.h"
#include "ir/error.h"
#include "runtime/capture/session.h"
#include "runtime/program/script_source.h"
#include "runtime/torch/refusal.h"
#include "runtime/torch/schema.h"

namespace runtime {
namespace {

/// The first line of torch's message, without its traces.
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

/// What TorchScript's own operators may do: compute on lists, numbers and objects, and call what is checked as well.
constexpr std::string_view allowedPrims[] = {"CallFunction",
                                             "CallMethod",
                                             "Constant",
                                             "CreateObject",
                                             "DictConstruct",
                                             "Enter",
                                             "EnumName",
                                             "EnumValue",
                                             "Exit",
                                             "GetAttr",
                                             "If",
                                             "ListConstruct",
                                             "ListUnpack",
                                             "Loop",
                                             "NumToTensor",
                                             "RaiseException",
                                             "SetAttr",
                                             "StringIndex",
                                             "TupleConstruct",
                                             "TupleIndex",
                                             "TupleSlice",
                                             "TupleUnpack",
                                             "Uninitialized",
                                             "abs",
                                             "data",
                                             "device",
                                             "dtype",
                                             "fork",
                                             "index",
                                             "is_cpu",
                                             "is_cuda",
                                             "is_meta",
                                             "is_mkldnn",
                                             "is_nested",
                                             "is_quantized",
                                             "is_sparse",
                                             "is_sparse_csr",
                                             "isinstance",
                                             "itemsize",
                                             "layout",
                                             "max",
                                             "min",
                                             "nbytes",
                                             "rangelist",
                                             "requires_grad",
                                             "tolist",
                                             "type",
                                             "unchecked_cast",
                                             "unchecked_unwrap_optional"};

/// Operators of TorchScript alone, named as ATen's, that do more than compute.
constexpr std::string_view refusedOfScripts[] = {"backward", "grad", "manual_seed", "save", "seed", "set_grad_enabled"};

template <size_t N>
bool isAmong(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Refuses what a program of somebody else may not do: an operator that no sample may call, one of TorchScript's own that is not
/// known, a method of an interface, which may be any. Graphs inside of a node are checked with it. `where` is the method.
class CallCheck {
 public:
  CallCheck(const std::string& path, std::string where) : path_(path), where_(std::move(where)) {}

  void operator()(const torch::jit::Block& block) const {
    for (const torch::jit::Node* node : block.nodes()) {
      for (const torch::jit::Block* inner : node->blocks()) (*this)(*inner);
      for (const torch::jit::Symbol name : node->attributeNames()) {
        if (node->kindOf(name) == torch::jit::AttributeKind::g) (*this)(*node->g(name)->block());
        if (node->kindOf(name) == torch::jit::AttributeKind::gs)
          for (const std::shared_ptr<torch::jit::Graph>& graph : node->gs(name)) (*this)(*graph->block());
      }
      check(*node);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    ir::fail(ir::ErrorKind::Unsupported, "{}: {} calls {}", path_, inputs::printable(where_), what);
  }

  void check(const torch::jit::Node& node) const {
    const std::string name = node.kind().toUnqualString();
    if (node.kind().is_prim()) return checkPrim(node, name);
    const std::string op = "aten." + name;
    if (!node.kind().is_aten())
      refuse(fmt::format("{}, which is no operator of ATen", inputs::shown(node.kind().toQualString())));
    if (const auto refusal = inputs::refusalOf(op)) refuse("what it may not: " + *refusal);
    if (isAmong(refusedOfScripts, name)) refuse(op + ", which does more than compute");
    const c10::FunctionSchema* schema = node.maybeSchema();
    if (schema == nullptr || !c10::Dispatcher::singleton().findSchema(schema->operator_name())) return;
    if (const auto refusal = refusalOf(*schema); refusal && refusal->find("neither takes nor returns") == std::string::npos)
      refuse(fmt::format("{}, which is refused: {}", op, *refusal));
  }

  void checkPrim(const torch::jit::Node& node, const std::string& name) const {
    if (!isAmong(allowedPrims, name)) refuse(inputs::shown(node.kind().toQualString()) + ", which programs may not");
    if (name == "CallMethod" && !node.input(0)->type()->cast<c10::ClassType>())
      refuse(fmt::format("the method {} of an interface, which may be any", inputs::shown(node.s(torch::jit::attr::name))));
  }

  const std::string& path_;
  const std::string where_;
};

/// Checks all functions and methods of a file, also functions that nothing seems to call. Some are there only once others are
/// seen.
void checkCalls(const std::string& path, const torch::jit::CompilationUnit& unit) {
  for (size_t checked = 0;;) {
    const std::vector<torch::jit::Function*> functions = unit.get_functions();
    if (checked == functions.size()) return;
    for (; checked < functions.size(); ++checked)
      CallCheck(path, functions[checked]->qualname().qualifiedName())(
          *torch::jit::toGraphFunction(*functions[checked]).graph()->block());
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
    } catch (const std::runtime_error& error) {  // ATen's words come after the interpreter's
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
    checkSources(path);
    // A name of a file would have torch take it for a form without sources where its first bytes say so.
    torch::jit::Module module = torch::jit::load(std::make_shared<caffe2::serialize::FileAdapter>(path), at::Device(at::kCPU),
                                                 /*load_debug_files=*/false);
    checkCalls(path, *module._ivalue()->compilation_unit());
    if (!module.find_method("forward")) ir::fail(ir::ErrorKind::Unsupported, "{} has no method forward", path);
    return std::make_unique<Script>(path, std::move(module), std::move(inputs));
  } catch (const ir::Error&) {
    throw;
  } catch (const std::exception& error) {
    ir::fail(ir::ErrorKind::Input, "torch cannot read {}: {}", path, firstLine(error.what()));
  }
}

}  // namespace runtime
