#include "opbench/presentation/reporter.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "inputs/files.h"
#include "opbench/report/csv.h"
#include "opbench/report/formats.h"
#include "opbench/report/html/race.h"
#include "opbench/results/read.h"

namespace opbench {

Reporter::Reporter(const Options& options, Streams streams)
    : options_(options), stage_{options, streams}, presentations_(presentationsOf(stage_)) {
  if (!options.csv.empty() && options.csv != "-") inputs::checkWritable(options.csv);
  if (!options.model.runner.output.empty()) inputs::checkWritable(options.model.runner.output);
  report::checkFormats(options);
  if (!options.html.empty()) page_ = std::make_unique<report::html::Race>(options.html);
  if (options.json != "-" && options.csv != "-") stage_.console = &streams.out;
}

Reporter::~Reporter() = default;

void Reporter::begin(const Run& run, int samples, int longestOperator) {
  if (start_) stage_.clear();
  start_.reset();  // what an earlier run did is reported next
  stage_.run = &run;
  progress_.samples = samples;
  if (page_) page_->begin(samples, options_.dump);
  const Streams& streams = stage_.streams;
  stage_.layout = {longestOperator, streams.room, streams.colour, !options_.quiet, streams.blocks, options_.showRuns};
  for (const auto& presentation : presentations_) presentation->begin(samples);
}

void Reporter::progress(const std::string& what) {
  constexpr std::chrono::minutes between{1};
  const Clock::time_point now = Clock::now();
  if (!start_) start_ = told_ = now;
  progress_.seconds = std::chrono::duration<double>(now - *start_).count();
  if (options_.quiet) return;
  if (stage_.streams.progress) {
    stage_.streams.err << report::clearLine << report::progress(progress_, what, stage_.streams.width - 1) << std::flush;
  } else if (now - told_ >= between) {
    told_ = now;
    stage_.streams.err << "opbench: " << report::progress(progress_) << std::endl;
  }
}

void Reporter::complain(const std::string& what) { stage_.complain(what); }

/// Its line in a results file is known where it was read from one, or where the run writes one.
void Reporter::addToPage(const results::SampleResult& result, const std::string& file) {
  const std::string written = options_.json == "-" ? "" : options_.json;
  file.empty() ? page_->add(result.lines, written, linesOfResults_ + 1) : page_->add(result.lines, file, result.place);
  linesOfResults_ += static_cast<int>(std::count(result.lines.begin(), result.lines.end(), '\n'));
  const std::string refusal = page_->follow();
  if (!refusal.empty() && !std::exchange(isPageRefused_, true)) complain(refusal);
}

void Reporter::row(const results::SampleResult& result, const std::string& file) {
  stage_.clear();
  ++progress_.done;
  if (start_) ++progress_.raced;
  if (hasFailed(result.row)) ++progress_.failed;
  for (const auto& presentation : presentations_) presentation->row(result);
  if (page_) addToPage(result, file);
  if (!report::wantsFormats(options_)) return;
  std::istringstream lines(result.lines);
  for (std::string line; std::getline(lines, line);) records_.push_back(results::recordOf(line, "results"));
}

void Reporter::end(const Summary& summary) {
  stage_.clear();
  for (const auto& presentation : presentations_) presentation->end(summary);
  if (options_.csv == "-")
    stage_.streams.out << report::csv(summary, *stage_.run) << std::flush;
  else if (!options_.csv.empty())
    inputs::writeFile(options_.csv, report::csv(summary, *stage_.run));
  std::stable_sort(records_.begin(), records_.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  if (!records_.empty()) report::writeFormats(records_, options_);
  if (page_) page_->finish();
}

}  // namespace opbench
