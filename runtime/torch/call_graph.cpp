#include "runtime/torch/call_graph.h"

#include <c10/core/InferenceMode.h>

#include "ir/error.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/state.h"
#include "runtime/torch/traffic.h"
#include "runtime/torch/types.h"

namespace runtime {
namespace {

std::string layoutName(at::Layout layout) { return layout == at::kStrided ? "strided" : "sparse"; }

std::string memoryFormatName(at::MemoryFormat format) {
  switch (format) {
    case at::MemoryFormat::Contiguous: return "contiguous_format";
    case at::MemoryFormat::Preserve: return "preserve_format";
    case at::MemoryFormat::ChannelsLast: return "channels_last";
    case at::MemoryFormat::ChannelsLast3d: return "channels_last_3d";
    case at::MemoryFormat::NumOptions: break;
  }
  ir::fail(ir::ErrorKind::Internal, "memory format {} has no name", static_cast<int>(format));
}

/// Turns a call's arguments into a node's.
class ArgumentBuilder {
 public:
  ArgumentBuilder(const std::string& op, const TensorArgument& tensor) : op_(op), tensor_(tensor) {}

  ir::Argument argument(const std::string& name, const c10::TypePtr& type, const c10::IValue& value) const {
    if (value.isNone()) return ir::None{};
    if (type->kind() == c10::TypeKind::OptionalType) return argument(name, type->containedType(0), value);
    if (value.isTensor()) return value.toTensor().defined() ? tensor_(name, value.toTensor()) : ir::None{};
    if (value.isList()) return list(name, type->containedType(0), value);
    if (value.isInt()) return integer(type->kind(), value);
    if (value.isScalar()) return numberIn(value.toScalar());
    if (value.isString()) return value.toStringRef();
    if (value.isDevice()) return ir::DeviceName{value.toDevice().str()};
    ir::fail(ir::ErrorKind::Unsupported, "argument '{}' of {} is of a type that graphs do not hold: {}", name, op_,
             value.tagKind());
  }

 private:
  ir::Argument list(const std::string& name, const c10::TypePtr& element, const c10::IValue& value) const {
    ir::List items;
    for (const c10::IValue& item : value.toListRef()) {
      items.items.push_back(argument(name + std::to_string(items.items.size()), element, item));
    }
    return items;
  }

  /// dtypes, layouts and memory formats are integers on the stack.
  static ir::Argument integer(c10::TypeKind kind, const c10::IValue& value) {
    if (kind == c10::TypeKind::ScalarTypeType) return dtypeOf(value.toScalarType());
    if (kind == c10::TypeKind::LayoutType) return ir::Symbol{layoutName(value.toLayout())};
    if (kind == c10::TypeKind::MemoryFormatType) return ir::Symbol{memoryFormatName(value.toMemoryFormat())};
    return value.toInt();
  }

  const std::string& op_;
  const TensorArgument& tensor_;
};

/// Writes one call as a graph of one node.
class GraphBuilder {
 public:
  explicit GraphBuilder(const AtenCall& call) : call_(call) { node_.op = call.op; }

  ir::Graph build(const TensorList& outputs) {
    const auto& formals = call_.handle.schema().arguments();
    const TensorArgument tensor = [this](const std::string& name, const at::Tensor& value) -> ir::Argument {
      if (value.unsafeGetTensorImpl()->is_wrapped_number()) return numberIn(value);
      return ir::ValueRef{addValue(name, typeOf(value))};
    };
    for (std::size_t i = 0; i < formals.size(); ++i) {
      first_.push_back(static_cast<int>(graph_.values.size()));
      node_.args.push_back({formals[i].name(), graphArgument(call_.op, formals[i], call_.arguments[i], tensor)});
    }
    first_.push_back(static_cast<int>(graph_.values.size()));
    graph_.inputs.resize(graph_.values.size());
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) graph_.inputs[i] = static_cast<int>(i);
    for (int i : call_.effects.written) {
      for (int value = first_[i]; value < first_[i + 1]; ++value) node_.writes.push_back(value);
    }
    if (call_.effects.isRandom) graph_.generator = addValue("random", ir::TensorType::contiguous(ir::DType::I64, {2}));
    addOutputs(outputs);
    graph_.nodes.push_back(std::move(node_));
    return std::move(graph_);
  }

 private:
  int addValue(const std::string& name, const ir::TensorType& type) {
    graph_.values.push_back({name, type});
    return static_cast<int>(graph_.values.size()) - 1;
  }

  /// Results that are written arguments stand for these; the others are new. Written arguments that are not returned come last,
  /// as AtenCall::run hands them out.
  void addOutputs(const TensorList& outputs) {
    std::vector<int> returned;
    std::vector<int> unreturned;
    for (int i : call_.effects.written) {
      const auto& all = call_.effects.returned;
      auto& into = std::find(all.begin(), all.end(), i) != all.end() ? returned : unreturned;
      for (int value = first_[i]; value < first_[i + 1]; ++value) into.push_back(value);
    }
    const int results = outputs.size() - static_cast<int>(unreturned.size());
    const bool inPlace = !returned.empty();
    ir::require(!inPlace || results == static_cast<int>(returned.size()), "{} returns {} tensors, {} of them written arguments",
                call_.op, results, returned.size());
    for (int i = 0; i < results; ++i) {
      node_.outputs.push_back(inPlace ? returned[i] : addValue("out" + std::to_string(i), outputs.type(i)));
    }
    graph_.outputs = node_.outputs;
    graph_.outputs.insert(graph_.outputs.end(), unreturned.begin(), unreturned.end());
  }

  const AtenCall& call_;
  ir::Graph graph_;
  ir::Node node_;
  std::vector<int> first_;  ///< by argument: its first value; one more at the end
};

}  // namespace

ir::Argument graphArgument(const std::string& op, const c10::Argument& formal, const c10::IValue& value,
                           const TensorArgument& tensor) {
  return ArgumentBuilder(op, tensor).argument(formal.name(), formal.real_type(), value);
}

std::vector<at::Tensor> graphInputs(const TensorList& operands) {
  std::vector<at::Tensor> tensors = operands.state().tensors;
  std::erase_if(tensors, [](const at::Tensor& tensor) { return tensor.unsafeGetTensorImpl()->is_wrapped_number(); });
  return tensors;
}

ir::Argument numberIn(const at::Tensor& tensor) { return numberIn(tensor.item()); }

ir::Argument numberIn(const at::Scalar& scalar) {
  if (scalar.isBoolean()) return scalar.toBool();
  if (scalar.isIntegral(/*includeBool=*/false)) return scalar.toLong();
  if (scalar.isComplex()) return std::complex<double>(scalar.toComplexDouble());
  return scalar.toDouble();
}

ir::Graph graphOf(const AtenCall& call, const TensorList& outputs) {
  const c10::InferenceMode guard;
  return GraphBuilder(call).build(outputs);
}

}  // namespace runtime
