#include "runtime/torch/signature.h"

#include <ATen/core/function_schema.h>
#include <fmt/format.h>

#include <utility>

#include "ir/error.h"
#include "runtime/torch/schema.h"

namespace runtime {
namespace {

using c10::TypeKind;

std::string cppType(const c10::Type& type) {
  switch (type.kind()) {
    case TypeKind::TensorType: return "at::Tensor";
    case TypeKind::NumberType: return "at::Scalar";
    case TypeKind::IntType:
    case TypeKind::SymIntType: return "int64_t";
    case TypeKind::FloatType: return "double";
    case TypeKind::BoolType: return "bool";
    case TypeKind::StringType: return "c10::string_view";
    case TypeKind::ScalarTypeType: return "at::ScalarType";
    case TypeKind::LayoutType: return "at::Layout";
    case TypeKind::MemoryFormatType: return "at::MemoryFormat";
    case TypeKind::DeviceObjType: return "at::Device";
    case TypeKind::OptionalType: return fmt::format("std::optional<{}>", cppType(*type.containedType(0)));
    case TypeKind::ListType: return fmt::format("c10::List<{}>", cppType(*type.containedType(0)));
    default: ir::fail(ir::ErrorKind::Unsupported, "no function of C++ takes an argument of the type {}", type.str());
  }
}

std::string schemaType(const c10::Type& type) {
  switch (type.kind()) {
    case TypeKind::OptionalType: return schemaType(*type.containedType(0)) + "?";
    case TypeKind::ListType: return schemaType(*type.containedType(0)) + "[]";
    case TypeKind::NumberType: return "Scalar";
    case TypeKind::SymIntType: return "int";
    default: return type.annotation_str();
  }
}

OwnArgument ownArgument(std::string name, const std::string& schema, const std::string& cpp) {
  const bool isByReference = cpp == "at::Tensor" || cpp == "at::Scalar";
  return {std::move(name), schema, isByReference ? fmt::format("const {}&", cpp) : cpp};
}

}  // namespace

std::vector<OwnArgument> ownArguments(const std::string& op) {
  std::vector<OwnArgument> arguments;
  for (const c10::Argument& argument : findOperator(op).schema().arguments())
    arguments.push_back(ownArgument(argument.name(), schemaType(*argument.real_type()), cppType(*argument.real_type())));
  return arguments;
}

OwnArgument ownTensor(std::string name) { return ownArgument(std::move(name), "Tensor", "at::Tensor"); }

}  // namespace runtime
