#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "opbench/compare/compare.h"
#include "opbench/results/environment.h"
#include "opbench/results/statistics.h"

namespace opbench::compare {
namespace {

using results::Record;
using results::Results;

/// The different values of a property that is the same throughout a run: one, unless a file was put together from several.
template <typename Read>
std::set<std::string> valuesOf(const Results& results, const Read& read) {
  std::set<std::string> values;
  for (const Record& record : results.records)
    if (const std::string value = read(record); !value.empty()) values.insert(value);
  return values;
}

/// The median clock of a GPU; a CPU's clock follows its load from one sample to the next, and says less of the run than its
/// cycles do.
std::optional<double> medianClock(const Results& results) {
  std::vector<double> clocks;
  for (const Record& record : results.records)
    if (record.device != "cpu" && record.clockMhz && *record.clockMhz > 0) clocks.push_back(*record.clockMhz);
  return clocks.empty() ? std::nullopt : std::optional(median(clocks));
}

/// `cuda` of `cuda:1`: which of several equal devices it was does not matter.
std::string deviceKind(const Record& record) {
  return fmt::format("{} ({})", record.deviceName, record.device.substr(0, record.device.find(':')));
}

/// `seeds differ: 1 and 2`; empty where they do not, or a file is too old to tell.
template <typename Read>
std::string differenceIn(const Results& base, const Results& candidate, std::string_view what, const Read& read) {
  const auto before = valuesOf(base, read), after = valuesOf(candidate, read);
  if (before.empty() || after.empty() || before == after) return "";
  return fmt::format("{}: {} and {}", what, fmt::join(before, ", "), fmt::join(after, ", "));
}

}  // namespace

std::vector<std::string> environmentNotes(const Results& base, const Results& candidate) {
  std::vector<std::string> notes;
  for (const results::EnvironmentPart& part : results::environmentParts()) {
    std::string difference = differenceIn(base, candidate, fmt::format("{} differs", part.name),
                                          [&](const Record& r) { return part.text(r.environment); });
    if (!part.isDecisive && !difference.empty()) notes.push_back(std::move(difference));
  }
  return notes;
}

std::vector<std::string> comparabilityIssues(const Results& base, const Results& candidate) {
  std::vector<std::string> found;
  for (const Results* results : {&base, &candidate})
    if (std::any_of(results->records.begin(), results->records.end(), [](const Record& r) { return r.isAA; }))
      found.push_back(fmt::format("{} is an A/A run: its speedups are of each contender over itself", results->file));
  const auto require = [&](std::string_view what, const auto& read) {
    if (std::string difference = differenceIn(base, candidate, what, read); !difference.empty())
      found.push_back(std::move(difference));
  };
  require("devices differ", deviceKind);
  require("dtypes differ", [](const Record& r) { return r.dtype; });
  require("data differ", [](const Record& r) { return r.data; });
  require("seeds differ", [](const Record& r) { return r.seed ? std::to_string(*r.seed) : ""; });
  require("threads differ", [](const Record& r) { return std::to_string(r.threads); });
  require("flushes of the cache differ", [](const Record& r) { return r.flush; });
  require("strides differ", [](const Record& r) { return r.channelsLast ? "channels-last" : "as recorded"; });
  for (const results::EnvironmentPart& part : results::environmentParts())
    if (part.isDecisive) require(fmt::format("{} differs", part.name), [&](const Record& r) { return part.text(r.environment); });
  constexpr double farApart = 0.02;
  const auto before = medianClock(base), after = medianClock(candidate);
  if (before && after && std::abs(*after / *before - 1) > farApart)
    found.push_back(fmt::format("clocks differ: {:.0f} and {:.0f} MHz", *before, *after));
  return found;
}

}  // namespace opbench::compare
