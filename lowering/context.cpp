#include "lowering/context.h"

#include "ir/error.h"

namespace lowering {

const ir::Argument& Context::argument(const std::string& name) const {
  const ir::Argument* found = node_.find(name);
  ir::require(found != nullptr, "{} has no argument {}", node_.op, name);
  return *found;
}

const ir::Argument& Context::argument(int position) const {
  ir::require(position < argumentCount(), "{} has no argument {}", node_.op, position);
  return node_.args[position].value;
}

Tensor Context::tensorOf(const ir::Argument& argument) const {
  const auto* value = argument.as<ir::ValueRef>();
  ir::require(value != nullptr, "an argument of {} is no tensor", node_.op);
  return values_.at(value->index);
}

double Context::number(const std::string& name) const {
  const ir::Argument& value = argument(name);
  if (const auto* boolean = value.as<bool>()) return *boolean ? 1 : 0;
  if (const auto* integer = value.as<int64_t>()) return static_cast<double>(*integer);
  const auto* real = value.as<double>();
  ir::require(real != nullptr, "argument {} of {} is no real number", name, node_.op);
  return *real;
}

int64_t Context::integer(const std::string& name) const {
  const auto* value = argument(name).as<int64_t>();
  ir::require(value != nullptr, "argument {} of {} is no integer", name, node_.op);
  return *value;
}

bool Context::flag(const std::string& name) const {
  const auto* value = argument(name).as<bool>();
  ir::require(value != nullptr, "argument {} of {} is no bool", name, node_.op);
  return *value;
}

std::string Context::text(const std::string& name) const {
  const auto* value = argument(name).as<std::string>();
  ir::require(value != nullptr, "argument {} of {} is no text", name, node_.op);
  return *value;
}

const ir::TensorType& Context::outputType() const {
  ir::require(!node_.outputs.empty(), "{} has no output", node_.op);
  return graph_.values.at(node_.outputs[0]).type;
}

}  // namespace lowering
