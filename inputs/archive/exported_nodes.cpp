#include <fmt/format.h>

#include "inputs/archive/exported_reader.h"
#include "inputs/archive/prims.h"
#include "inputs/operator_name.h"
#include "inputs/text/scanner.h"

namespace inputs {
namespace {

using Argument = ExportedProgram::Argument;
using ValueKind = ExportedProgram::ValueKind;

/// The innermost module of `key,path,type;key,path,type`, a node's modules from the outermost one in; of our own archives, which
/// have its path alone, that.
std::string innermostModule(const std::string& stack) {
  const std::string last = stack.substr(stack.rfind(';') + 1);
  const size_t first = last.find(','), end = last.rfind(',');
  if (first == std::string::npos) return last;
  return first == end ? "" : last.substr(first + 1, end - first - 1);
}

Argument integerOf(Argument::Kind kind, int64_t integer) {
  Argument argument;
  argument.kind = kind;
  argument.integer = integer;
  return argument;
}

Argument realOf(double real) {
  Argument argument;
  argument.kind = Argument::Kind::Float;
  argument.real = real;
  return argument;
}

Argument textOf(Argument::Kind kind, const std::string& text) {
  Argument argument;
  argument.kind = kind;
  argument.text = text;
  return argument;
}

/// The kind of a list's elements, `as_int` of `as_ints`; empty where a kind is no list.
std::string elementKind(const std::string& kind) {
  if (kind == "as_int_lists") return "as_ints";
  if (kind == "as_nested_tensors") return "as_tensors";
  constexpr std::string_view lists[] = {"as_tensors", "as_ints",      "as_floats",           "as_strings",   "as_sym_ints",
                                        "as_bools",   "as_sym_bools", "as_optional_tensors", "as_sym_floats"};
  for (std::string_view list : lists)
    if (kind == list) return kind.substr(0, kind.size() - 1);
  return "";
}

}  // namespace

std::string ExportedProgram::Node::op() const {
  constexpr std::string_view operators = "torch.ops.";
  return target.starts_with(operators) ? target.substr(operators.size()) : "";
}

int ExportedReader::define(const std::string& name, ValueKind kind, JsonView at) {
  const int number = static_cast<int>(program_.values.size());
  if (name.empty() || !valueOf_.emplace(name, number).second) at.refuse(fmt::format("makes {} a second time", shown(name)));
  ExportedProgram::Value value{name, kind, std::nullopt};
  const auto meta = meta_.find(name);
  if (kind == ValueKind::Tensor && meta != meta_.end()) value.meta = meta->second;
  program_.values.push_back(std::move(value));
  return number;
}

int ExportedReader::used(JsonView name, ValueKind kind) const {
  const auto found = valueOf_.find(name.text());
  if (found == valueOf_.end()) name.refuse(fmt::format("uses {}, which nothing before it makes", shown(name.text())));
  const ValueKind made = program_.values[static_cast<size_t>(found->second)].kind;
  if ((made == ValueKind::Tensor) != (kind == ValueKind::Tensor))
    name.refuse(fmt::format("takes {} for a {}", shown(name.text()), kind == ValueKind::Tensor ? "tensor" : "number"));
  return found->second;
}

void ExportedReader::readNode(JsonView node) {
  ExportedProgram::Node read;
  constexpr size_t most = 200000;
  if (program_.nodes.size() == most) node.refuse(fmt::format("is one more than {} nodes", most));
  read.block = block_;
  read.target = node.at("target").text();
  if (const std::string op = read.op(); !op.empty()) {
    if (isWrapper(op)) return readWrapper(op, node);
    if (op.starts_with("higher_order.")) node.unsupported(fmt::format("is the higher-order operator {}", shown(op)));
    if (const auto refusal = refusalOf(op); refusal && !isPrimOfAten(op)) node.unsupported("cannot run: " + *refusal);
  }
  if (node.has("name")) read.name = node.at("name").text();
  if (node.has("metadata") && node.at("metadata").has("nn_module_stack"))
    read.module = innermostModule(node.at("metadata").at("nn_module_stack").text());
  for (const JsonView& input : node.at("inputs").items())
    read.arguments.push_back({input.at("name").text(), readArgument(input.at("arg"))});
  for (const JsonView& output : node.at("outputs").items()) read.outputs.push_back(readOutput(output));
  if (const std::string why = replacePrim(read); !why.empty()) node.unsupported("cannot run: " + why);
  if (read.name.empty() && !read.outputs.empty() && read.outputs[0].kind == Kind::Value)
    read.name = program_.values[static_cast<size_t>(read.outputs[0].integer)].name;
  program_.nodes.push_back(std::move(read));
}

Argument ExportedReader::readArgument(JsonView argument) {
  const auto [kind, value] = argument.only();
  return elementKind(kind).empty() ? readScalar(kind, value) : readList(elementKind(kind), value);
}

Argument ExportedReader::readList(const std::string& kind, JsonView list) {
  Argument argument;
  argument.kind = Kind::List;
  for (const JsonView& item : list.items())
    argument.items.push_back(elementKind(kind).empty() ? readScalar(kind, item) : readList(elementKind(kind), item));
  return argument;
}

Argument ExportedReader::readScalar(const std::string& kind, JsonView value) {
  if (kind == "as_none") return {};
  if (kind == "as_tensor") return integerOf(Kind::Value, used(value.at("name"), ValueKind::Tensor));
  if (kind == "as_optional_tensor") {
    const auto [inner, tensor] = value.only();
    return readScalar(inner, tensor);
  }
  if (kind == "as_int") return integerOf(Kind::Int, value.integer());
  if (kind == "as_float") return realOf(value.number());
  if (kind == "as_bool") return integerOf(Kind::Bool, value.boolean());
  if (kind == "as_string") return textOf(Kind::String, value.text());
  if (kind == "as_sym_int") return readSymbolic(value, ValueKind::Int);
  if (kind == "as_sym_float") return readSymbolic(value, ValueKind::Float);
  if (kind == "as_sym_bool") return readSymbolic(value, ValueKind::Bool);
  if (kind == "as_scalar_type") {
    exportedBytes(static_cast<int>(value.integer(1, 255)));
    return integerOf(Kind::ScalarType, value.integer());
  }
  if (kind == "as_layout") return integerOf(Kind::Layout, value.integer(0, 7));
  if (kind == "as_memory_format") return integerOf(Kind::MemoryFormat, value.integer(1, 4));
  if (kind == "as_device") return textOf(Kind::Device, value.at("type").text());
  if (kind == "as_complex") {
    Argument argument = realOf(value.at("real").number());
    argument.kind = Kind::Complex;
    argument.imaginary = value.at("imag").number();
    return argument;
  }
  if (kind == "as_graph") value.unsupported("is a graph, the argument of a higher-order operator");
  if (kind == "as_operator") value.unsupported("is an operator, the argument of a higher-order operator");
  if (kind == "as_custom_obj") value.unsupported("is a custom object");
  value.unsupported(fmt::format("is an argument of the unknown kind {}", shown(kind)));
}

/// A number, `{"as_int": 3}` or `3`, or the value that it is, `{"as_name": "sym_size_int"}`.
Argument ExportedReader::readSymbolic(JsonView value, ValueKind kind) {
  if (value.isNumber()) return value.isInteger() ? integerOf(Kind::Int, value.integer()) : realOf(value.number());
  const auto [form, inner] = value.only();
  return form == "as_name" ? integerOf(Kind::Value, used(inner, kind)) : readScalar(form, inner);
}

Argument ExportedReader::readOutput(JsonView output) {
  const auto [kind, value] = output.only();
  if (kind == "as_none") return {};
  if (kind == "as_tensor") return integerOf(Kind::Value, define(value.at("name").text(), ValueKind::Tensor, value));
  if (kind == "as_tensors" || kind == "as_optional_tensors") {
    Argument list;
    list.kind = Kind::List;
    for (const JsonView& item : value.items()) {
      const bool isOptional = kind == "as_optional_tensors";
      if (isOptional && !item.has("as_tensor")) {
        list.items.emplace_back();
        continue;
      }
      const JsonView tensor = isOptional ? item.at("as_tensor") : item;
      list.items.push_back(integerOf(Kind::Value, define(tensor.at("name").text(), ValueKind::Tensor, tensor)));
    }
    return list;
  }
  if (kind == "as_optional_tensor") return readOutput(value);
  const std::optional<ValueKind> number = kind == "as_sym_int"     ? std::optional(ValueKind::Int)
                                          : kind == "as_sym_float" ? std::optional(ValueKind::Float)
                                          : kind == "as_sym_bool"  ? std::optional(ValueKind::Bool)
                                                                   : std::nullopt;
  if (!number) output.unsupported(fmt::format("is a result of the kind {}", shown(kind)));
  if (!value.has("as_name")) return {};  // a number that was known
  return integerOf(Kind::Value, define(value.at("as_name").text(), *number, value));
}

void ExportedReader::readOutputs(JsonView specs) {
  for (const JsonView& spec : specs.items()) {
    const auto [kind, body] = spec.only();
    if (kind == "token") body.unsupported("is a token that orders side effects");
    if (kind == "user_output" || kind == "loss_output") {
      const JsonView argument = body.at("arg");
      const bool isWrapped = kind == "user_output";
      if (isWrapped && !argument.has("as_tensor")) continue;  // a number or a constant
      const JsonView name = (isWrapped ? argument.at("as_tensor") : argument).at("name");
      program_.outputs.push_back(used(name, ValueKind::Tensor));
    } else if (kind == "buffer_mutation" || kind == "parameter_mutation") {
      const JsonView target = body.at(kind == "buffer_mutation" ? "buffer_name" : "parameter_name");
      const auto found = stateOf_.find(target.text());
      if (found == stateOf_.end()) target.refuse(fmt::format("is {}, which the program does not have", shown(target.text())));
      program_.writebacks.push_back({used(body.at("arg").at("name"), ValueKind::Tensor), found->second, false});
    } else if (kind == "user_input_mutation") {
      const int target = used(body.at("user_input_name"), ValueKind::Tensor);
      size_t input = 0;
      while (input < program_.inputs.size() && program_.inputs[input] != target) ++input;
      if (input == program_.inputs.size()) body.refuse("writes what is no input");
      program_.writebacks.push_back({used(body.at("arg").at("name"), ValueKind::Tensor), static_cast<int>(input), true});
    } else {
      spec.unsupported(fmt::format("is a result of the kind {}", shown(kind)));
    }
  }
  if (program_.outputs.empty()) specs.unsupported("holds no tensor: there is nothing to measure");
}

}  // namespace inputs
