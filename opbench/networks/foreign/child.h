#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "opbench/process/process.h"

namespace opbench {

/// A child has ended before it replied, or took too long, or replied what is no reply: in words.
class ChildLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A message as a line, which ends with a line break.
std::string toLine(const nlohmann::json& message);

/// The next reply of a child, an object, which may take so many seconds; 0 is no limit. What the child threw is thrown here:
/// ir::Error of any kind, NoDevice. Error: ChildLost.
nlohmann::json replyOf(Process& child, double seconds);

/// Sends what a function returns, an object, to the process that started this one, or what it throws.
void answer(const std::function<nlohmann::json()>& work);

}  // namespace opbench
