#include "opbench/text/patterns.h"

#include <fnmatch.h>

#include <string_view>

#include "inputs/model_names.h"
#include "inputs/operator_name.h"

namespace opbench {
namespace {

bool isOrBelongsTo(std::string_view op, std::string_view name) {
  return op.starts_with(name) && (op.size() == name.size() || op[name.size()] == '.');
}

/// Whether an operator is meant by a pattern in just this spelling.
bool isSpelled(const char* op, const char* pattern) {
  return isGlob(pattern) ? fnmatch(pattern, op, 0) == 0 : isOrBelongsTo(op, pattern);
}

}  // namespace

bool isGlob(std::string_view pattern) { return pattern.find_first_of("*?[") != std::string_view::npos; }

bool matches(const std::string& op, const std::string& pattern) {
  if (pattern == "all") return true;
  const std::string name = inputs::operatorName(pattern);
  if (isSpelled(op.c_str(), name.c_str())) return true;
  const bool isWhole = name.starts_with(atenPrefix);
  return !isWhole && op.starts_with(atenPrefix) && isSpelled(op.c_str() + atenPrefix.size(), name.c_str());
}

bool isNamed(const std::string& op, const std::string& pattern) {
  if (matches(op, pattern)) return true;
  if (!inputs::isNetwork(op)) return false;
  const size_t first = op.find('.'), last = op.rfind('.');
  return fnmatch(inputs::modelNameOf(pattern).c_str(), op.substr(first + 1, last - first - 1).c_str(), 0) == 0;
}

}  // namespace opbench
