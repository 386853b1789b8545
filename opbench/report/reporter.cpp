#include "opbench/report/reporter.h"

#include <algorithm>
#include <sstream>

#include "inputs/files.h"
#include "inputs/text/printable.h"
#include "opbench/report/csv.h"
#include "opbench/report/formats.h"
#include "opbench/report/progress.h"
#include "opbench/results/read.h"

namespace opbench {

Reporter::Reporter(const Options& options, Streams streams) : options_(options), streams_(streams) {
  if (!options.csv.empty() && options.csv != "-") inputs::checkWritable(options.csv);
  report::checkFormats(options);
  if (options.json != "-" && options.csv != "-") console_ = &streams.out;
}

void Reporter::begin(const Run& run, int samples, int longestOperator) {
  if (start_) clear();
  start_.reset();  // what an earlier run did is reported next
  run_ = &run;
  progress_.samples = samples;
  layout_ = {longestOperator, streams_.room, streams_.colour, !options_.quiet};
  if (console_ && !options_.quiet) *console_ << report::heading(run, samples, layout_) << std::flush;
}

void Reporter::progress(const std::string& what) {
  constexpr std::chrono::minutes between{1};
  const Clock::time_point now = Clock::now();
  if (!start_) start_ = told_ = now;
  progress_.seconds = std::chrono::duration<double>(now - *start_).count();
  if (options_.quiet) return;
  if (streams_.progress) {
    streams_.err << report::clearLine << report::progress(progress_, what, streams_.width - 1) << std::flush;
  } else if (now - told_ >= between) {
    told_ = now;
    streams_.err << "opbench: " << report::progress(progress_) << std::endl;
  }
}

void Reporter::complain(const std::string& what) {
  clear();
  streams_.err << "opbench: " << inputs::printable(what) << std::endl;
}

void Reporter::row(const results::SampleResult& result) {
  clear();
  ++progress_.done;
  if (start_) ++progress_.raced;
  if (hasFailed(result.row)) ++progress_.failed;
  if (console_ && !options_.quiet) {
    *console_ << report::line(result.row, result.run, layout_);
    const std::string why = report::fallback(result.row, layout_);
    if (fallbacks_.insert(result.row.op + why).second) *console_ << why;
    *console_ << std::flush;
  }
  if (!report::wantsFormats(options_)) return;
  std::istringstream lines(result.lines);
  for (std::string line; std::getline(lines, line);) records_.push_back(results::recordOf(line, "results"));
}

void Reporter::end(const Summary& summary) {
  clear();
  if (console_) *console_ << report::table(summary, *run_, layout_) << std::flush;
  if (options_.csv == "-")
    streams_.out << report::csv(summary, *run_) << std::flush;
  else if (!options_.csv.empty())
    inputs::writeFile(options_.csv, report::csv(summary, *run_));
  std::stable_sort(records_.begin(), records_.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  if (!records_.empty()) report::writeFormats(records_, options_);
}

void Reporter::clear() {
  if (streams_.progress) streams_.err << report::clearLine << std::flush;
}

}  // namespace opbench
