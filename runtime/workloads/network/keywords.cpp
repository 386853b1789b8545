#include "runtime/workloads/network/keywords.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace runtime {

NetworkName networkNameOf(const std::string& op) {
  const size_t first = op.find('.'), second = op.find('.', first + 1);
  const std::string mode = second == std::string::npos ? "" : op.substr(second + 1);
  if (mode != "training" && mode != "inference")
    ir::fail(ir::ErrorKind::Input, "{}: a network ends in .training or .inference", op);
  return {op.substr(first + 1, second - first - 1), mode == "training"};
}

int64_t Keywords::number(const char* name, int64_t otherwise, int64_t least, int64_t most) {
  const ir::Argument* value = find(name);
  if (value == nullptr) return otherwise;
  const auto* number = value->as<int64_t>();
  if (number == nullptr || *number < least || *number > most)
    refuse("'{}' must be a whole number from {} to {}", name, least, most);
  return *number;
}

bool Keywords::flag(const char* name) {
  const ir::Argument* value = find(name);
  if (value == nullptr) return false;
  const auto* flag = value->as<bool>();
  if (flag == nullptr) refuse("'{}' must be True or False", name);
  return *flag;
}

std::string Keywords::word(const char* name, const std::string& otherwise, const std::vector<std::string>& known) {
  const ir::Argument* value = find(name);
  if (value == nullptr) return otherwise;
  const auto* word = value->as<std::string>();
  if (word == nullptr || std::find(known.begin(), known.end(), *word) == known.end())
    refuse("'{}' must be one of {}", name, fmt::join(known, ", "));
  return *word;
}

std::vector<int64_t> Keywords::numbers(const char* name, int64_t least, int64_t most) {
  std::vector<int64_t> numbers;
  const ir::Argument* value = find(name);
  if (value == nullptr) return numbers;
  const auto* list = value->as<ir::List>();
  for (const ir::Argument& item : list == nullptr ? std::vector<ir::Argument>() : list->items) {
    const auto* number = item.as<int64_t>();
    if (number == nullptr || *number < least || *number > most) break;
    numbers.push_back(*number);
  }
  if (list == nullptr || numbers.size() != list->items.size())
    refuse("'{}' must be whole numbers from {} to {}", name, least, most);
  return numbers;
}

void Keywords::requireAllKnown() const {
  for (const ir::NamedArgument& argument : sample_.kwargs)
    if (std::find(asked_.begin(), asked_.end(), argument.name) == asked_.end()) refuse("it has no keyword '{}'", argument.name);
}

const ir::Argument* Keywords::find(const char* name) {
  asked_.emplace_back(name);
  const auto found = std::find_if(sample_.kwargs.begin(), sample_.kwargs.end(),
                                  [&](const ir::NamedArgument& argument) { return argument.name == name; });
  return found == sample_.kwargs.end() ? nullptr : &found->value;
}

}  // namespace runtime
