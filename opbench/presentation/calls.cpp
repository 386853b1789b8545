#include "opbench/presentation/calls.h"

#include <fstream>

#include "inputs/operator_name.h"
#include "opbench/compat/timings.h"

namespace opbench {

void RaceTable::begin(int samples) {
  if (std::ostream* out = stage_.live()) *out << report::heading(*stage_.run, samples, stage_.layout) << std::flush;
}

void RaceTable::row(const results::SampleResult& result) {
  std::ostream* out = stage_.live();
  if (out == nullptr || inputs::isNetwork(result.row.op)) return;
  *out << report::line(result.row, result.run, stage_.layout);
  const std::string why = report::fallback(result.row, stage_.layout);
  if (fallbacks_.insert(result.row.op + why).second) *out << why;
  *out << std::flush;
}

void RaceTable::end(const Summary& summary) {
  if (stage_.console != nullptr) *stage_.console << report::table(summary, *stage_.run, stage_.layout) << std::flush;
}

void OperatorbenchLines::begin(int /*samples*/) {
  stage_.complain("Inductor Speedups are those of opbench's kernels, NVFUSER Speedups those of TorchScript");
}

void OperatorbenchLines::row(const results::SampleResult& result) {
  if (!inputs::isNetwork(result.row.op)) rows_.push_back(result.row);
}

void OperatorbenchLines::end(const Summary& /*summary*/) {
  sortByIndex(rows_);
  if (stage_.console != nullptr) *stage_.console << operatorbenchLines(rows_, stage_.options) << std::flush;
  const std::string file = timingsFile(stage_.options, stage_.options.dtype);
  if (file.empty()) return;
  std::ofstream stream(file, std::ios::app);
  if (!(stream << operatorbenchResults(rows_) << std::flush)) stage_.complain("cannot append to " + file);
}

}  // namespace opbench
