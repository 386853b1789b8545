#include "opbench/report/csv.h"

#include <fmt/format.h>

#include <algorithm>

namespace opbench::report {
namespace {

std::string fields(const std::optional<Quantiles>& speedups) {
  return speedups ? fmt::format(",{:.6f},{:.6f},{:.6f}", speedups->p20, speedups->p50, speedups->p80) : ",,,";
}

}  // namespace

std::string csvField(const std::string& text) {
  const bool isFormula = text.starts_with('=') || text.starts_with('+') || text.starts_with('-') || text.starts_with('@');
  if (!isFormula && text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = isFormula ? "\"'" : "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
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
