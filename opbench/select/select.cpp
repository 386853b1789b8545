#include "opbench/select/select.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "inputs/model_names.h"
#include "inputs/operator_name.h"
#include "ir/error.h"
#include "opbench/text/nearest.h"

namespace opbench {
namespace {

using inputs::Sample;

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
  const std::string name = inputs::operatorName(pattern);
  return nearest(fmt::format("{}{}", name.starts_with(atenPrefix) ? "" : atenPrefix, name), {names.begin(), names.end()});
}

bool isMeant(const std::string& op, const SelectionSettings& options) {
  const auto isAny = [&](const std::vector<std::string>& patterns) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return matches(op, pattern); });
  };
  return isAny(options.ops) && (options.filters.empty() || isAny(options.filters)) && !isAny(options.excludes);
}

/// How many samples of an operator to take at most.
int64_t mostSamples(const std::string& op, const SelectionSettings& options, const SuiteConfig& config) {
  const bool isAll = options.maxSamples == 0 || options.sampleMode == SampleMode::All;
  const int64_t most = isAll ? std::numeric_limits<int64_t>::max() : options.maxSamples;
  const auto cap = config.maxSamples(op);
  return cap ? std::min(most, cap->most) : most;
}

}  // namespace

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
    return fmt::format(
        "no sample of operator '{}' in the files read; ATen has the operator, --inp-file reads samples of your own{}", pattern,
        suggestion(suggestions(pattern, recorded)));
  std::vector<std::string> names = suggestions(pattern, recorded);
  if (names.empty()) names = suggestions(pattern, aten);
  return fmt::format("unknown operator '{}'{}", pattern, suggestion(names));
}

void checkPatterns(const std::vector<OperatorPattern>& patterns, const std::vector<std::string>& aten,
                   const std::vector<std::string>& networks) {
  for (const OperatorPattern& each : patterns) {
    if (std::any_of(aten.begin(), aten.end(), [&](const std::string& op) { return matches(op, each.pattern); })) continue;
    const bool isKnownNetwork = std::any_of(networks.begin(), networks.end(), [&](const std::string& network) {
      return fnmatch(each.pattern.c_str(), network.c_str(), 0) == 0;
    });
    if (each.mayBeNetwork && isKnownNetwork) continue;
    const std::vector<std::string> names = suggestions(each.pattern, aten);
    const bool isNetwork = each.mayBeNetwork && (names.empty() || isGlob(each.pattern));
    if (!isNetwork) ir::fail(ir::ErrorKind::Input, "{}: unknown operator '{}'{}", each.place, each.pattern, suggestion(names));
  }
}

Selection select(const std::vector<Sample>& samples, const SelectionSettings& options, const SuiteConfig& config) {
  std::map<std::string, std::vector<const Sample*>> byOperator;
  std::vector<std::string> operators;  // as they come
  Selection selection;
  for (const Sample& sample : samples) {
    auto found = byOperator.find(sample.op);
    if (found == byOperator.end()) {
      if (!isMeant(sample.op, options)) continue;
      found = byOperator.try_emplace(sample.op).first;
      operators.push_back(sample.op);
    }
    found->second.push_back(&sample);
    ++selection.recorded.samples;
    selection.recorded.calls += sample.count;
  }
  if (options.compat != Compat::Operatorbench) std::sort(operators.begin(), operators.end());
  for (const std::string& op : operators) {
    const std::vector<const Sample*> group = ordered(byOperator[op], options.sampleMode);
    const auto size = static_cast<int64_t>(group.size());
    const int64_t first = std::min(options.startIdx, size);
    const int64_t last = first + std::min(mostSamples(op, options, config), size - first);
    for (int64_t i = first; i < last; ++i) selection.samples.push_back(*group[static_cast<size_t>(i)]);
  }
  return selection;
}

bool isStrided(const Sample& sample) {
  const auto tensors = inputs::tensorsOf(sample);
  return std::any_of(tensors.begin(), tensors.end(), [](const ir::TensorType* type) { return !type->isContiguous(); });
}

}  // namespace opbench
