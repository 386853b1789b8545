#include "runtime/torch/refusal.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/error.h"

namespace runtime {
namespace {

using c10::TypeKind;

/// The type of the elements of lists and optional values, however nested.
const c10::Type& innermost(const c10::Type& type) {
  const bool contains = type.kind() == TypeKind::OptionalType || type.kind() == TypeKind::ListType;
  return contains ? innermost(*type.containedType(0)) : type;
}

/// Tensors, numbers, strings and what describes a tensor. Storages, streams, dictionaries and objects of C++ are more than that.
bool isPlain(const c10::Type& type) {
  constexpr TypeKind plain[] = {TypeKind::TensorType, TypeKind::NumberType,       TypeKind::IntType,
                                TypeKind::FloatType,  TypeKind::ComplexType,      TypeKind::BoolType,
                                TypeKind::SymIntType, TypeKind::SymFloatType,     TypeKind::SymBoolType,
                                TypeKind::StringType, TypeKind::GeneratorType,    TypeKind::ScalarTypeType,
                                TypeKind::LayoutType, TypeKind::MemoryFormatType, TypeKind::DeviceObjType};
  return std::find(std::begin(plain), std::end(plain), innermost(type).kind()) != std::end(plain);
}

bool isTensor(const c10::Argument& argument) { return innermost(*argument.real_type()).kind() == TypeKind::TensorType; }

/// Whether a string is a word of the operator's own: a mode, a dimension's name, a message. A string of any other name may be a
/// path.
bool isWord(const std::string& name) {
  constexpr std::string_view words[] = {"UPLO",          "a",      "activation", "algorithm", "api_name",     "approximate",
                                        "assert_msg",    "b",      "dim",        "dim0",      "dim1",         "dim2",
                                        "dims",          "driver", "end_dim",    "equation",  "mode",         "indexing",
                                        "interpolation", "names",  "norm",       "ord",       "order",        "out_dim",
                                        "outdim",        "p",      "pad_mode",   "padding",   "padding_side", "reduce",
                                        "rounding_mode", "side",   "start_dim"};
  return std::find(std::begin(words), std::end(words), name) != std::end(words);
}

bool isWritten(const c10::Argument& argument) { return argument.alias_info() != nullptr && argument.alias_info()->isWrite(); }

/// Whether an operator only checks its arguments: models record such calls.
bool asserts(const std::string& name) {
  constexpr std::string_view beginnings[] = {"aten::_assert_", "aten::_validate_", "aten::_linalg_check_errors"};
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

std::optional<std::string> refusalOf(const c10::Argument& argument) {
  if (!isPlain(*argument.real_type()))
    return fmt::format("its argument '{}' is a {}", argument.name(), innermost(*argument.real_type()).str());
  if (innermost(*argument.real_type()).kind() == TypeKind::StringType && !isWord(argument.name()))
    return fmt::format("its argument '{}' may name a file", argument.name());
  return std::nullopt;
}

}  // namespace

std::optional<std::string> refusalOf(const c10::FunctionSchema& schema) {
  const auto& arguments = schema.arguments();
  const auto& returns = schema.returns();
  if (schema.is_vararg() || schema.is_varret()) return "its arguments and results are of any type";
  for (const c10::Argument& argument : arguments)
    if (auto reason = refusalOf(argument)) return reason;
  for (const c10::Argument& result : returns)
    if (!isPlain(*result.real_type())) return fmt::format("it returns a {}", innermost(*result.real_type()).str());
  if (returns.empty() && !asserts(schema.name()) && std::none_of(arguments.begin(), arguments.end(), isWritten))
    return "it returns and writes nothing";
  if (std::none_of(arguments.begin(), arguments.end(), isTensor) && std::none_of(returns.begin(), returns.end(), isTensor))
    return "it neither takes nor returns a tensor";
  return std::nullopt;
}

void refuseHostState(const std::string& op, const c10::FunctionSchema& schema, const torch::jit::Stack& arguments) {
  constexpr std::string_view readers[] = {"aten::_scaled_dot_product_efficient_attention_backward",
                                          "aten::_efficient_attention_backward"};
  if (std::find(std::begin(readers), std::end(readers), schema.name()) == std::end(readers)) return;
  const auto dropout = schema.argumentIndexWithName("dropout_p");
  if (!dropout || arguments[static_cast<size_t>(*dropout)].toDouble() == 0) return;
  ir::fail(ir::ErrorKind::Unsupported, "{} reads its generator's state on the host, but on the device in a CUDA graph", op);
}

}  // namespace runtime
