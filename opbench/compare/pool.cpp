#include "opbench/compare/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <tuple>

#include "opbench/compare/control.h"
#include "opbench/compare/evidence.h"
#include "opbench/results/statistics.h"

namespace opbench::compare {
namespace {

using results::Disposition;
using results::Record;
using results::Results;

using Values = std::vector<double>;

/// A figure of each record that has it.
template <typename Read>
Values valuesOf(const std::vector<Record>& records, const Read& read) {
  Values values;
  for (const Record& record : records)
    if (const std::optional<double> value = read(record)) values.push_back(*value);
  return values;
}

template <typename Read>
std::optional<double> medianOf(const std::vector<Record>& records, const Read& read) {
  const Values values = valuesOf(records, read);
  return values.empty() ? std::nullopt : std::optional(median(values));
}

/// The interval of a figure's median over the runs, from the intervals of single runs: as wide as the median one, and the
/// narrower the more runs there are.
template <typename Read>
std::optional<Interval> intervalOf(const std::vector<Record>& records, double centre, std::optional<Interval> Record::* interval,
                                   const Read& read) {
  const auto end = [&](double Interval::* which) {
    return medianOf(records, [&](const Record& r) {
      const auto value = read(r);
      return r.*interval && value ? std::optional((*(r.*interval)).*which / *value - 1) : std::nullopt;
    });
  };
  const auto low = end(&Interval::low), high = end(&Interval::high);
  if (!low || !high) return std::nullopt;
  const double narrowing = std::sqrt(static_cast<double>(records.size()));
  return Interval{centre * (1 + *low / narrowing), centre * (1 + *high / narrowing)};
}

bool isBad(const Record& record) { return !isMeasured(&record) && record.disposition != Disposition::Unmeasured; }

Values deviations(const Values& values) {
  Values logs;
  for (const double value : values)
    if (value > 0) logs.push_back(std::log(value));
  if (logs.size() < 2) return {};
  const double centre = median(logs);
  for (double& log : logs) log -= centre;
  return logs;
}

/// The measured records of one contender on one sample, as one.
std::pair<Record, Deviations> merged(const std::vector<Record>& records) {
  const auto time = [](const Record& r) { return r.median; };
  const auto speedup = [](const Record& r) { return r.speedup; };
  const auto secondary = [](const Record& r) { return r.secondary; };
  Record record = records.front();
  record.median = medianOf(records, time);
  record.medianInterval = intervalOf(records, *record.median, &Record::medianInterval, time);
  record.speedup = medianOf(records, speedup);
  if (record.speedup) record.speedupInterval = intervalOf(records, *record.speedup, &Record::speedupInterval, speedup);
  record.secondary = medianOf(records, secondary);
  if (record.secondary) record.secondaryInterval = intervalOf(records, *record.secondary, &Record::secondaryInterval, secondary);
  record.clockMhz = medianOf(records, [](const Record& r) { return r.clockMhz; });
  const auto disturbed = std::count_if(records.begin(), records.end(), [](const Record& r) { return r.isDisturbed; });
  record.isDisturbed = 2 * disturbed >= std::ssize(records);
  return {record, {deviations(valuesOf(records, time)), deviations(valuesOf(records, speedup))}};
}

}  // namespace

Pool poolOf(std::vector<Results> runs) {
  Pool pool{std::move(runs.front()), {}, runs.size()};
  pool.deviations.resize(pool.results.records.size());
  if (runs.size() == 1) return pool;
  std::vector<std::vector<Record>> all;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, size_t> indices;
  const auto add = [&](const Results& results) {
    for (const Record& record : results.records) {
      const auto [at, isNew] =
          indices.try_emplace(std::tuple(record.op, record.sample, record.dtype, record.contender), all.size());
      if (isNew) all.emplace_back();
      all[at->second].push_back(record);
    }
  };
  add(pool.results);
  for (size_t i = 1; i < runs.size(); ++i) {
    add(runs[i]);
    pool.results.complaints.insert(pool.results.complaints.end(), runs[i].complaints.begin(), runs[i].complaints.end());
  }
  const bool isOneName = std::all_of(runs.begin() + 1, runs.end(), [&](const Results& r) { return r.file == pool.results.file; });
  pool.results.file = isOneName ? fmt::format("{} ({} runs)", pool.results.file, runs.size())
                                : fmt::format("{} and {} more", pool.results.file, runs.size() - 1);
  pool.results.records.clear();
  pool.deviations.clear();
  for (std::vector<Record>& records : all) {
    const auto bad = std::find_if(records.begin(), records.end(), isBad);
    if (bad != records.end() || std::none_of(records.begin(), records.end(), [](const Record& r) { return isMeasured(&r); })) {
      pool.results.records.push_back(std::move(bad != records.end() ? *bad : records.front()));
      pool.deviations.emplace_back();
      continue;
    }
    std::erase_if(records, [](const Record& r) { return !isMeasured(&r); });
    auto [record, deviations] = merged(records);
    pool.results.records.push_back(std::move(record));
    pool.deviations.push_back(std::move(deviations));
  }
  return pool;
}

double scatterOfPools(double deviation, size_t runs, size_t otherRuns) {
  const auto variance = [](size_t n) { return (n < 3 ? 1 : std::numbers::pi / 2) / static_cast<double>(n); };
  return deviation * std::sqrt(variance(runs) + variance(otherRuns));
}

double deviationOf(const std::vector<double>& base, const std::vector<double>& candidate) {
  Values sizes;
  for (const Values* one : {&base, &candidate})
    for (const double deviation : *one) sizes.push_back(std::abs(deviation));
  const auto n = static_cast<double>(sizes.size());
  return n < 4 ? 0 : quantile(sizes, Control::withinDeviation) * std::sqrt(n / (n - 2));  // two medians were taken off
}

}  // namespace opbench::compare
