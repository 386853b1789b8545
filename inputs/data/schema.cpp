#include "inputs/data/schema.h"

#include <ATen/core/dispatch/Dispatcher.h>

namespace inputs {

const c10::FunctionSchema* schemaOf(const std::string& op) {
  const size_t dot = op.find('.');
  if (dot == std::string::npos) return nullptr;
  const size_t second = op.find('.', dot + 1);
  const std::string name = op.substr(0, dot) + "::" + op.substr(dot + 1, second - dot - 1);
  const bool isDefault = second == std::string::npos || op.substr(second) == ".default";
  const auto found = c10::Dispatcher::singleton().findSchema({name, isDefault ? "" : op.substr(second + 1)});
  return found ? &found->schema() : nullptr;
}

std::optional<size_t> positionOf(const c10::FunctionSchema* schema, std::string_view argument) {
  if (schema == nullptr) return std::nullopt;
  const auto place = schema->argumentIndexWithName(argument);
  return place ? std::optional(static_cast<size_t>(*place)) : std::nullopt;
}

}  // namespace inputs
