#include "opbench/presentation/reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "inputs/files.h"
#include "inputs/operator_name.h"
#include "inputs/text/printable.h"
#include "opbench/compat/timings.h"
#include "opbench/report/csv.h"
#include "opbench/report/formats.h"
#include "opbench/report/html/race.h"
#include "opbench/report/networks/fastrnns.h"
#include "opbench/report/networks/memory_trace.h"
#include "opbench/report/networks/models.h"
#include "opbench/report/networks/runner.h"
#include "opbench/report/networks/table.h"
#include "opbench/report/progress.h"
#include "opbench/results/read.h"

namespace opbench {
namespace {

/// Seconds since 1970, as Hugging Face's files are named after.
int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Reporter::Reporter(const Options& options, Streams streams) : options_(options), streams_(streams) {
  if (!options.csv.empty() && options.csv != "-") inputs::checkWritable(options.csv);
  if (!options.model.runner.output.empty()) inputs::checkWritable(options.model.runner.output);
  report::checkFormats(options);
  if (!options.html.empty()) page_ = std::make_unique<report::html::Race>(options.html);
  if (options.json != "-" && options.csv != "-") console_ = &streams.out;
}

Reporter::~Reporter() = default;

void Reporter::begin(const Run& run, int samples, int longestOperator) {
  if (start_) clear();
  start_.reset();  // what an earlier run did is reported next
  run_ = &run;
  progress_.samples = samples;
  if (page_) page_->begin(samples, options_.dump);
  layout_ = {longestOperator, streams_.room, streams_.colour, !options_.quiet, streams_.blocks, options_.showRuns};
  if (isOperatorbench())
    return complain("Inductor Speedups are those of opbench's kernels, NVFUSER Speedups those of TorchScript");
  if (!hasOwnTables() && console_ && !options_.quiet) *console_ << report::heading(run, samples, layout_) << std::flush;
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

/// Its line in a results file is known where it was read from one, or where the run writes one.
void Reporter::addToPage(const results::SampleResult& result, const std::string& file) {
  const std::string written = options_.json == "-" ? "" : options_.json;
  file.empty() ? page_->add(result.lines, written, linesOfResults_ + 1) : page_->add(result.lines, file, result.place);
  linesOfResults_ += static_cast<int>(std::count(result.lines.begin(), result.lines.end(), '\n'));
  const std::string refusal = page_->follow();
  if (!refusal.empty() && !std::exchange(isPageRefused_, true)) complain(refusal);
}

void Reporter::row(const results::SampleResult& result, const std::string& file) {
  clear();
  ++progress_.done;
  if (start_) ++progress_.raced;
  if (hasFailed(result.row)) ++progress_.failed;
  if (inputs::isNetwork(result.row.op)) {
    showNetwork(result);
  } else if (isOperatorbench()) {
    operatorbench_.push_back(result.row);
  } else if (console_ && !options_.quiet) {
    *console_ << report::line(result.row, result.run, layout_);
    const std::string why = report::fallback(result.row, layout_);
    if (fallbacks_.insert(result.row.op + why).second) *console_ << why;
    *console_ << std::flush;
  }
  if (page_) addToPage(result, file);
  if (!report::wantsFormats(options_)) return;
  std::istringstream lines(result.lines);
  for (std::string line; std::getline(lines, line);) records_.push_back(results::recordOf(line, "results"));
}

/// `opbench rnn` prints fastrnns' lines at once, and our table when all are there; `opbench model` prints all then.
void Reporter::showNetwork(const results::SampleResult& result) {
  if (!hasOwnTables() && !isMergedModel(result.row)) {
    if (console_ && !options_.quiet)
      *console_ << report::networkTable(result.row, result.run, layout_) << report::memoryTrace(result.row, layout_)
                << std::flush;
    return;
  }
  if (isRnn() && rnnConsole() && !options_.quiet) {  // where fastrnns prints them
    const bool isNew = networks_.empty() || !report::areOfOneGroup(networks_.back(), result.row);
    streams_.err << (isNew && !networks_.empty() ? "\n" : "")
                 << (isNew ? report::fastrnnsHeading(result.row, options_.rnn.sep) : "")
                 << report::fastrnnsLines(result.row, *run_, options_.rnn.sep) << std::flush;
  }
  networks_.push_back(result.row);
}

void Reporter::endNetworks() {
  std::sort(networks_.begin(), networks_.end(), [](const Row& a, const Row& b) { return a.index < b.index; });
  if (isRnn()) return endRnn();
  if (options_.model.runner.isOn) return endRunner();
  if (isModel()) return endModels();
  if (console_) *console_ << ours(layout_);
}

std::string Reporter::ours(const report::Layout& layout) const {
  std::string text = report::modelTable(networks_, *run_, layout);
  for (const Row& row : networks_) text += report::memoryTrace(row, layout, options_.model.isVerbose);
  return text;
}

void Reporter::endRunner() {
  const report::RunnerMode mode =
      options_.model.runner.isAccuracy ? report::RunnerMode::Accuracy : report::RunnerMode::Performance;
  if (console_) *console_ << report::runnerTable(networks_, *run_, mode, layout_);
  const std::string& output = options_.model.runner.output;
  if (!output.empty()) inputs::writeFile(output, report::runnerCsv(networks_, *run_, mode));
}

void Reporter::endModels() {
  using report::HuggingFaceFile;
  const ModelOptions& model = options_.model;
  const report::HuggingFaceTables wanted{options_.timing, !options_.noMemory, model.printsEnvironment};
  const std::string tables = report::huggingFaceTables(networks_, *run_, wanted);
  if (console_) *console_ << (options_.quiet ? "" : tables) << ours(layout_);
  if (model.logsTables || !model.log.empty())
    inputs::writeFile(model.log.empty() ? fmt::format("log_{}.txt", now()) : model.log, tables + ours({}));
  if (!model.savesCsv) return;
  const auto write = [&](const std::string& asked, const char* otherwise, const std::string& content) {
    inputs::writeFile(asked.empty() ? fmt::format("{}_{}.csv", otherwise, now()) : asked, content);
  };
  const auto csv = [&](HuggingFaceFile file) { return report::huggingFaceCsv(networks_, *run_, file); };
  if (!model.noInference && options_.timing) write(model.inferenceTimeCsv, "inference_time", csv(HuggingFaceFile::InferenceTime));
  const bool hasMemory = !options_.noMemory;
  if (!model.noInference && hasMemory) write(model.inferenceMemoryCsv, "inference_memory", csv(HuggingFaceFile::InferenceMemory));
  if (model.isTraining && options_.timing) write(model.trainTimeCsv, "train_time", csv(HuggingFaceFile::TrainTime));
  if (model.isTraining && hasMemory) write(model.trainMemoryCsv, "train_memory", csv(HuggingFaceFile::TrainMemory));
  write(model.envInfoCsv, "env_info", report::huggingFaceEnvironment(*run_));
}

void Reporter::endRnn() {
  if (rnnConsole())
    for (const Row& row : networks_) *console_ << "\n" << report::networkTable(row, *run_, layout_);
  if (options_.rnn.printJson.empty()) return;
  for (const Row& row : networks_)
    for (const Outcome& outcome : row.outcomes)
      if (outcome.status != Status::Ok)
        complain(fmt::format("{}: {}: {}", name(outcome.contender), name(outcome.status), outcome.reason));
  if (console_)
    *console_ << (options_.rnn.printJson == "oss" ? report::fastrnnsOss(networks_, *run_)
                                                  : report::fastrnnsPep(networks_, *run_));
}

void Reporter::endOperatorbench() {
  std::sort(operatorbench_.begin(), operatorbench_.end(), [](const Row& a, const Row& b) { return a.index < b.index; });
  if (console_) *console_ << operatorbenchLines(operatorbench_, options_) << std::flush;
  const std::string file = timingsFile(options_);
  if (file.empty()) return;
  std::ofstream stream(file, std::ios::app);
  if (!(stream << operatorbenchResults(operatorbench_) << std::flush)) complain("cannot append to " + file);
}

void Reporter::end(const Summary& summary) {
  clear();
  if (isOperatorbench()) endOperatorbench();
  if (hasOwnTables() || !networks_.empty()) endNetworks();
  if (console_ && !hasOwnTables() && !isOperatorbench()) *console_ << report::table(summary, *run_, layout_) << std::flush;
  if (options_.csv == "-")
    streams_.out << report::csv(summary, *run_) << std::flush;
  else if (!options_.csv.empty())
    inputs::writeFile(options_.csv, report::csv(summary, *run_));
  std::stable_sort(records_.begin(), records_.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  if (!records_.empty()) report::writeFormats(records_, options_);
  if (page_) page_->finish();
}

void Reporter::clear() {
  if (streams_.progress) streams_.err << report::clearLine << std::flush;
}

}  // namespace opbench
