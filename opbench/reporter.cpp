#include "opbench/reporter.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "ir/error.h"
#include "opbench/report/csv.h"
#include "opbench/report/formats.h"
#include "opbench/report/progress.h"
#include "opbench/results/read.h"

namespace opbench {
namespace {

/// The stream for a file's name: none where it is empty, `out` for `-`, else the opened file.
std::ostream* open(const std::string& name, std::ofstream& file, std::ostream& out) {
  if (name.empty()) return nullptr;
  if (name == "-") return &out;
  file.open(name, std::ios::binary);
  if (!file) ir::fail(ir::ErrorKind::Input, "cannot write {}: {}", name, std::strerror(errno));
  return &file;
}

}  // namespace

Reporter::Reporter(const Options& options, Streams streams) : options_(options), streams_(streams) {
  csv_ = open(options.csv, csvFile_, streams.out);
  report::checkFormats(options);
  if (options.json != "-" && options.csv != "-") console_ = &streams.out;
}

void Reporter::begin(const Run& run, int samples, int longestOperator) {
  run_ = &run;
  samples_ = samples;
  layout_ = report::layoutFor(longestOperator, run.contenders, streams_.colour);
  if (console_) *console_ << report::heading(run, samples, layout_) << std::flush;
}

void Reporter::progress(int done, const std::string& what, double seconds) {
  if (!streams_.progress) return;
  streams_.err << report::clearLine << report::progress(done, samples_, what, seconds, streams_.width - 1) << std::flush;
}

void Reporter::complain(const std::string& what) {
  clear();
  streams_.err << "opbench: " << what << std::endl;
}

void Reporter::row(const results::Raced& raced) {
  clear();
  if (console_) *console_ << report::line(raced.row, raced.run, layout_) << std::flush;
  if (!report::wantsFormats(options_)) return;
  std::istringstream lines(raced.lines);
  for (std::string line; std::getline(lines, line);) records_.push_back(results::recordOf(line, "results"));
}

void Reporter::end(const Summary& summary) {
  clear();
  if (console_) *console_ << report::table(summary, *run_, layout_) << std::flush;
  if (csv_) {
    *csv_ << report::csv(summary, *run_);
    flush(*csv_, options_.csv);
  }
  std::stable_sort(records_.begin(), records_.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  if (!records_.empty()) report::writeFormats(records_, options_);
}

void Reporter::clear() {
  if (streams_.progress) streams_.err << report::clearLine << std::flush;
}

void Reporter::flush(std::ostream& stream, const std::string& name) {
  if (!stream.flush()) ir::fail(ir::ErrorKind::Input, "cannot write {}: {}", name, std::strerror(errno));
}

}  // namespace opbench
