#include "opbench/presentation/networks.h"

#include <fmt/format.h>

#include "inputs/operator_name.h"
#include "opbench/presentation/models.h"
#include "opbench/report/networks/fastrnns.h"
#include "opbench/report/networks/memory_trace.h"
#include "opbench/report/networks/table.h"

namespace opbench {

void NetworkTables::row(const results::SampleResult& result) {
  std::ostream* out = stage_.live();
  if (out == nullptr || !inputs::isNetwork(result.row.op)) return;
  *out << report::networkTable(result.row, result.run, stage_.layout) << report::memoryTrace(result.row, stage_.layout)
       << std::flush;
}

void MergedNetworks::row(const results::SampleResult& result) {
  if (inputs::kindOf(result.row.op) != inputs::SampleKind::Model) return NetworkTables::row(result);
  models_.push_back(result.row);
}

void MergedNetworks::end(const Summary& /*summary*/) {
  if (models_.empty()) return;
  sortByIndex(models_);
  if (stage_.options.model.runner.isOn) return showRunner(models_, stage_);
  if (stage_.console != nullptr) *stage_.console << modelTables(models_, stage_, stage_.layout);
}

void FastrnnsTables::row(const results::SampleResult& result) {
  const std::string& sep = stage_.options.rnn.sep;
  if (hasTables() && !stage_.options.quiet) {
    const bool isNew = rows_.empty() || !report::areOfOneGroup(rows_.back(), result.row);
    stage_.streams.err << (isNew && !rows_.empty() ? "\n" : "") << (isNew ? report::fastrnnsHeading(result.row, sep) : "")
                       << report::fastrnnsLines(result.row, *stage_.run, sep) << std::flush;
  }
  rows_.push_back(result.row);
}

void FastrnnsTables::end(const Summary& /*summary*/) {
  sortByIndex(rows_);
  if (hasTables())
    for (const Row& row : rows_) *stage_.console << "\n" << report::networkTable(row, *stage_.run, stage_.layout);
  const std::string& json = stage_.options.rnn.printJson;
  if (json.empty()) return;
  for (const Row& row : rows_)
    for (const Outcome& outcome : row.outcomes)
      if (outcome.status != Status::Ok)
        stage_.complain(fmt::format("{}: {}: {}", name(outcome.contender), name(outcome.status), outcome.reason));
  if (stage_.console != nullptr)
    *stage_.console << (json == "oss" ? report::fastrnnsOss(rows_, *stage_.run) : report::fastrnnsPep(rows_, *stage_.run));
}

}  // namespace opbench
