#include "opbench/compare/html/page.h"

#include <fmt/format.h>

#include "opbench/compare/phrases.h"
#include "opbench/report/html/page.h"
#include "opbench/report/html/rows.h"

namespace opbench::compare {
namespace {

using nlohmann::json;
using results::Record;

json orNull(std::optional<double> value) { return value ? json(*value) : json(nullptr); }

/// The fields of one build, after its name: `base_us`, `base_status`.
void addRecord(json& fields, const std::string& build, const Record* record, const std::string& file) {
  if (!record) return;
  fields[build + "_us"] = orNull(record->median);
  fields[build + "_status"] = record->status;
  fields[build + "_reason"] = record->reason;
  if (!file.empty()) fields[build + "_where"] = fmt::format("{}:{}", file, record->place);
}

json fieldsOf(const Compared& row, const std::string& base, const std::string& candidate) {
  const Record& record = row.any();
  json fields = {{"op", record.op},
                 {"sample", record.sample},
                 {"brief", sampleText(record)},
                 {"dtype", record.dtype},
                 {"contender", record.contender},
                 {"count", record.count},
                 {"kind", record.kind},
                 {"verdict", verdictText(row)},
                 {"remark", remark(row)},
                 {"gap", row.gap},
                 {"noisy", row.isNoisy},
                 {"ratio", orNull(row.ratio)},
                 {"time_ratio", orNull(row.timeRatio)}};
  if (row.isOverEager) fields["speedup_ratio"] = 1 / *row.ratio;
  if (row.interval) fields.update({{"ratio_low", row.interval->low}, {"ratio_high", row.interval->high}});
  addRecord(fields, "base", row.base, base);
  addRecord(fields, "candidate", row.candidate, candidate);
  return fields;
}

}  // namespace

std::string html(const Comparison& comparison, const std::string& base, const std::string& candidate) {
  report::html::Rows rows;
  for (const Compared& row : comparison.rows) rows.add(fieldsOf(row, base, candidate));
  const json about = {{"base", comparison.base.file},     {"candidate", comparison.candidate.file},
                      {"notes", comparison.notes},        {"summary", countsText(total(comparison))},
                      {"legend", legendText(comparison)}, {"control", controlText(comparison)}};
  std::string text = report::html::scriptJson(about);
  text.pop_back();
  return report::html::page(fmt::format(R"({{"complete":true,"comparison":{},"rows":{}}}}})", text, rows.text()));
}

}  // namespace opbench::compare
