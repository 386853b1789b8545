#include "opbench/select.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <limits>
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

bool isMeant(const std::string& op, const Options& options) {
  const auto isAny = [&](const std::vector<std::string>& patterns) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return matches(op, pattern); });
  };
  return isAny(options.ops) && (options.filters.empty() || isAny(options.filters)) && !isAny(options.excludes);
}

/// How many samples of an operator to take at most.
int64_t mostSamples(const std::string& op, const Options& options, const SuiteConfig& config) {
  const bool isAll = options.maxSamples == 0 || options.sampleMode == SampleMode::All;
  const int64_t most = isAll ? std::numeric_limits<int64_t>::max() : options.maxSamples;
  const auto cap = config.maxSamples(op);
  return cap ? std::min(most, cap->most) : most;
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

Selection select(const std::vector<Sample>& samples, const Options& options, const SuiteConfig& config) {
  std::map<std::string, std::vector<const Sample*>> byOperator;
  Selection selection;
  for (const Sample& sample : samples) {
    auto found = byOperator.find(sample.op);
    if (found == byOperator.end() && isMeant(sample.op, options)) found = byOperator.try_emplace(sample.op).first;
    if (found == byOperator.end()) continue;
    found->second.push_back(&sample);
    ++selection.recorded.samples;
    selection.recorded.calls += sample.count;
  }
  for (const auto& [op, recorded] : byOperator) {
    const std::vector<const Sample*> group = ordered(recorded, options.sampleMode);
    const auto size = static_cast<int64_t>(group.size());
    const int64_t first = std::min(options.startIdx, size);
    const int64_t last = first + std::min(mostSamples(op, options, config), size - first);
    for (int64_t i = first; i < last; ++i) selection.samples.push_back(*group[static_cast<size_t>(i)]);
  }
  return selection;
}

int64_t argumentBytes(const Sample& sample) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  int64_t bytes = 0;
  for (const ir::TensorType* type : inputs::tensorsOf(sample)) {
    int64_t size = 0;
    if (__builtin_mul_overflow(type->storageElements(), ir::sizeOf(type->dtype), &size)) return most;
    if (__builtin_add_overflow(bytes, size, &bytes)) return most;
  }
  return bytes;
}

bool isStrided(const Sample& sample) {
  const auto tensors = inputs::tensorsOf(sample);
  return std::any_of(tensors.begin(), tensors.end(), [](const ir::TensorType* type) { return !type->isContiguous(); });
}

}  // namespace opbench
