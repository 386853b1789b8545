#include "opbench/report/csv.h"

#include <fmt/format.h>

#include <algorithm>

namespace opbench::report {
namespace {

std::string fields(const std::optional<Quantiles>& speedups) {
  return speedups ? fmt::format(",{:.6f},{:.6f},{:.6f}", speedups->p20, speedups->p50, speedups->p80) : ",,,";
}

using results::Record;

std::string numberField(std::optional<double> value) { return value ? fmt::format("{}", *value) : ""; }
std::string lowField(const std::optional<Interval>& interval) { return interval ? numberField(interval->low) : ""; }
std::string highField(const std::optional<Interval>& interval) { return interval ? numberField(interval->high) : ""; }

/// A column of samplesCsv(), and its field of a record.
struct SampleColumn {
  const char* name;
  std::string (*field)(const Record&);
};
constexpr SampleColumn sampleColumns[] = {
    {"op", [](const Record& r) { return csvField(r.op); }},
    {"sample", [](const Record& r) { return csvField(r.sample); }},
    {"suite", [](const Record& r) { return csvField(r.suite); }},
    {"count", [](const Record& r) { return std::to_string(r.count); }},
    {"dtype", [](const Record& r) { return csvField(r.dtype); }},
    {"device_name", [](const Record& r) { return csvField(r.deviceName); }},
    {"contender", [](const Record& r) { return csvField(r.contender); }},
    {"kind", [](const Record& r) { return csvField(r.kind); }},
    {"status", [](const Record& r) { return csvField(r.status); }},
    {"reason", [](const Record& r) { return csvField(r.reason); }},
    {"median_us", [](const Record& r) { return numberField(r.median); }},
    {"low_us", [](const Record& r) { return lowField(r.medianInterval); }},
    {"high_us", [](const Record& r) { return highField(r.medianInterval); }},
    {"p20_us", [](const Record& r) { return lowField(r.percentiles); }},
    {"p80_us", [](const Record& r) { return highField(r.percentiles); }},
    {"runs", [](const Record& r) { return std::to_string(r.runs); }},
    {"speedup", [](const Record& r) { return numberField(r.speedup); }},
    {"speedup_low", [](const Record& r) { return lowField(r.speedupInterval); }},
    {"speedup_high", [](const Record& r) { return highField(r.speedupInterval); }},
    {"gb_per_s", [](const Record& r) { return numberField(r.gigabytesPerSecond); }},
};

}  // namespace

std::string csvField(const std::string& text) {
  // Spreadsheets pass over blanks before a formula.
  const size_t first = text.find_first_not_of(" \t\r\n");
  const bool isFormula = first != std::string::npos && std::string_view("=+-@").find(text[first]) != std::string_view::npos;
  if (!isFormula && text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = isFormula ? "\"'" : "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string samplesCsv(const std::vector<Record>& records) {
  std::string text;
  for (const SampleColumn& column : sampleColumns) text += fmt::format("{}{}", text.empty() ? "" : ",", column.name);
  text += "\n";
  for (const Record& record : records) {
    std::string line;
    for (const SampleColumn& column : sampleColumns) line += (&column == sampleColumns ? "" : ",") + column.field(record);
    text += line + "\n";
  }
  return text;
}

std::string csv(const Summary& summary, const Run& run) {
  std::string text = "Operator";
  for (size_t i = 1; i < run.contenders.size(); ++i)
    for (const char* quantile : {"20th", "50th", "80th"}) text += fmt::format(",{} {}", name(run.contenders[i]), quantile);
  text += "\n";
  for (const Group& group : summary.operators) {
    const auto first = group.contenders.begin() + 1;
    if (std::none_of(first, group.contenders.end(),
                     [](const ContenderSummary& contender) { return contender.speedups.has_value(); }))
      continue;
    text += csvField(group.name);
    for (auto contender = first; contender != group.contenders.end(); ++contender) text += fields(contender->speedups);
    text += "\n";
  }
  return text;
}

}  // namespace opbench::report
