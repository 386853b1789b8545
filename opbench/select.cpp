#include "opbench/select.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>

#include "opbench/nearest.h"

namespace opbench {
namespace {

using inputs::Sample;

constexpr std::string_view torchPrefix = "torch.ops.";
constexpr std::string_view atenPrefix = "aten.";

bool isGlob(const std::string& pattern) { return pattern.find_first_of("*?[") != std::string::npos; }

/// The pattern as it is, and with `aten.` before it where it has no namespace of its own.
std::vector<std::string> spellings(std::string pattern) {
  if (pattern.starts_with(torchPrefix)) pattern.erase(0, torchPrefix.size());
  if (pattern.starts_with(atenPrefix)) return {pattern};
  return {pattern, std::string(atenPrefix) + pattern};
}

bool isOrBelongsTo(const std::string& op, const std::string& name) { return op == name || op.starts_with(name + "."); }

std::vector<std::string> operatorsOf(const std::vector<Sample>& samples) {
  std::set<std::string> names;
  for (const Sample& sample : samples) names.insert(sample.op);
  return {names.begin(), names.end()};
}

/// `aten.add` of `aten.add.Tensor`.
std::string packetOf(const std::string& op) { return op.substr(0, op.rfind('.')); }

/// Names worth suggesting for a pattern: overloads and packets.
std::vector<std::string> suggestions(const std::string& pattern, const std::vector<std::string>& operators) {
  std::set<std::string> names;
  for (const std::string& op : operators) {
    names.insert(op);
    names.insert(packetOf(op));
  }
  const std::string spelling = spellings(pattern).back();
  return nearest(spelling, {names.begin(), names.end()});
}

int64_t bytesOf(const ir::Argument& argument) {
  if (const auto* type = argument.as<ir::TensorType>()) return type->storageElements() * ir::sizeOf(type->dtype);
  int64_t bytes = 0;
  if (const auto* list = argument.as<ir::List>())
    for (const ir::Argument& item : list->items) bytes += bytesOf(item);
  return bytes;
}

}  // namespace

bool matches(const std::string& op, const std::string& pattern) {
  if (pattern == "all") return true;
  const auto spelled = spellings(pattern);
  return std::any_of(spelled.begin(), spelled.end(), [&](const std::string& spelling) {
    return isGlob(spelling) ? fnmatch(spelling.c_str(), op.c_str(), 0) == 0 : isOrBelongsTo(op, spelling);
  });
}

std::vector<std::string> unmatched(const std::vector<Sample>& samples, const std::vector<std::string>& patterns) {
  const std::vector<std::string> operators = operatorsOf(samples);
  std::vector<std::string> result;
  for (const std::string& pattern : patterns)
    if (std::none_of(operators.begin(), operators.end(), [&](const std::string& op) { return matches(op, pattern); }))
      result.push_back(pattern);
  return result;
}

std::string unknownOperator(const std::string& pattern, const std::vector<Sample>& samples,
                            const std::vector<std::string>& aten) {
  const bool exists = std::any_of(aten.begin(), aten.end(), [&](const std::string& op) { return matches(op, pattern); });
  const std::vector<std::string> recorded = operatorsOf(samples);
  if (exists)
    return fmt::format("no sample of operator '{}' was read, though ATen has it{}", pattern,
                       suggestion(suggestions(pattern, recorded)));
  std::vector<std::string> names = suggestions(pattern, recorded);
  if (names.empty()) names = suggestions(pattern, aten);
  return fmt::format("no operator '{}'{}", pattern, suggestion(names));
}

std::vector<Sample> select(const std::vector<Sample>& samples, const Options& options) {
  std::map<std::string, std::vector<const Sample*>> byOperator;
  for (const Sample& sample : samples)
    if (std::any_of(options.ops.begin(), options.ops.end(),
                    [&](const std::string& pattern) { return matches(sample.op, pattern); }))
      byOperator[sample.op].push_back(&sample);
  std::vector<Sample> selected;
  for (auto& [op, group] : byOperator) {
    std::stable_sort(group.begin(), group.end(), [](const Sample* a, const Sample* b) { return a->count > b->count; });
    const auto size = static_cast<int64_t>(group.size());
    const int64_t first = std::min(options.startIdx, size);
    const int64_t last = options.maxSamples == 0 ? size : std::min(size, first + std::min(options.maxSamples, size));
    for (int64_t i = first; i < last; ++i) selected.push_back(*group[static_cast<size_t>(i)]);
  }
  return selected;
}

int64_t argumentBytes(const Sample& sample) {
  int64_t bytes = 0;
  for (const ir::Argument& argument : sample.args) bytes += bytesOf(argument);
  for (const ir::NamedArgument& argument : sample.kwargs) bytes += bytesOf(argument.value);
  return bytes;
}

}  // namespace opbench
