#include "opbench/sweep/sweep.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <utility>

#include "inputs/operator_name.h"
#include "ir/error.h"
#include "opbench/measure/device/aa_calls.h"
#include "opbench/results/brief.h"
#include "opbench/results/environment.h"
#include "opbench/settings/arguments.h"
#include "opbench/sweep/agenda.h"
#include "opbench/sweep/case_limit.h"
#include "opbench/sweep/journal.h"
#include "opbench/sweep/sample_runner.h"
#include "opbench/sweep/shard.h"
#include "opbench/timeline/timeline.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"

namespace opbench {
namespace {

using results::SampleResult;

int longestOperator(const std::vector<inputs::Sample>& samples) {
  size_t longest = 0;
  for (const inputs::Sample& sample : samples) longest = std::max(longest, sample.op.size());
  return static_cast<int>(longest);
}

/// How the devices and the software of two runs differ: `driver differs (file: 570.86; now: 580.65)`; empty where they do not, or
/// one of the runs does not tell.
std::string differences(const Run& a, const Run& b, std::string_view nameOfA, std::string_view nameOfB) {
  std::string text;
  const auto add = [&](std::string_view what, const std::string& ofA, const std::string& ofB) {
    if (ofA.empty() || ofB.empty() || ofA == ofB) return;
    text += fmt::format("{}{} differs ({}: {}; {}: {})", text.empty() ? "" : ", ", what, nameOfA, ofA, nameOfB, ofB);
  };
  add("device", a.deviceName, b.deviceName);
  for (const results::EnvironmentPart& part : results::environmentParts())
    if (part.isDecisive) add(part.name, part.text(a.environment), part.text(b.environment));
  return text;
}

/// Without what no report shows any more, for thousands of samples are kept.
Row slim(Row row) {
  row.sample = row.brief = row.file = row.suite = {};
  row.memoryTrace = {};
  for (Outcome& outcome : row.outcomes) {
    outcome.schedule = outcome.reason = outcome.sibling = outcome.caseFolder = {};
    if (outcome.timing) outcome.timing->rounds = {};
  }
  return row;
}

class Sweep : private Agenda {
 public:
  Sweep(std::vector<inputs::Sample> samples, const Options& options, Streams streams, const std::function<bool()>& interrupted)
      : samples_(std::move(samples)),
        longestOperator_(longestOperator(samples_)),
        options_(options),
        mine_(samplesOf(options.shard, samples_)),
        journal_(options, streams.out, mine_.size()),
        reporter_(options, streams),
        interrupted_(interrupted),
        isDone_(samples_.size() + 1, true) {
    for (const int index : mine_) isDone_[static_cast<size_t>(index)] = false;
  }

  Summary operator()() {
    if (mine_.empty()) complain(fmt::format("shard {} has no samples", toText(options_.shard)));
    if (options_.resume) {
      const std::string note = journal_.resume(samples_, mine_, [&](const SampleResult& result) { markDone(result); });
      if (!note.empty()) complain(note);
    }
    std::exception_ptr failure;
    try {
      raceAll();
      journal_.check();
    } catch (const ir::Error&) {
      if (!hasBegun_) throw;
      failure = std::current_exception();
    }
    if (!hasBegun_) return {};
    Summary summary = end();
    if (failure) std::rethrow_exception(failure);
    return summary;
  }

 private:
  /// A sample of the file that is resumed. It is read once more, and reported, when the sweep begins: thousands of them are not
  /// kept.
  void markDone(const SampleResult& result) {
    isDone_[static_cast<size_t>(result.row.index)] = true;
    ++resumed_;
    if (!resumedRun_) resumedRun_ = result.run;
    requireAlike(result.run, "this line", fmt::format("{}:{}", options_.json, result.place));
  }

  void reportResumed() {
    journal_.resume(samples_, mine_, [&](SampleResult result) {
      samples_[static_cast<size_t>(result.row.index - 1)] = {};
      report(std::move(result));
    });
  }

  /// Results of another device or other software are not gone on with. `name` is the run's, `where` the place of messages.
  void requireAlike(const Run& run, std::string_view name, const std::string& where) const {
    const std::string found = options_.force ? "" : differences(*resumedRun_, run, "file", name);
    if (!found.empty()) ir::fail(ir::ErrorKind::Input, "{}: cannot resume: {}; use --force to continue anyway", where, found);
  }

  /// Whether compilers have anything to do: of networks they compile what Inductor makes alone.
  bool isAnyCompiledAhead() const {
    return options_.races(Contender::Inductor) || std::any_of(mine_.begin(), mine_.end(), [&](int number) {
             return !inputs::isNetwork(samples_[static_cast<size_t>(number) - 1].op);
           });
  }

  void raceAll() {
    // Where nothing is left to do no device is opened; the report is of this one all the same.
    if (resumed_ == mine_.size() && resumedRun_) {
      Run here = *resumedRun_;
      here.deviceName = runtime::deviceNameOf(wantedDevice(options_));
      requireAlike(here, "now", options_.json);
      return begin({*resumedRun_, {}, {}});
    }
    if (mine_.empty()) return;
    Options options = options_;
    options.samples = static_cast<int>(samples_.size());
    if (!isAnyCompiledAhead()) options.compilers = 0;
    options.selection = quoted(selectionArguments(options_));
    options.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    Timeline::begin(options.timeline);
    options.inProcess ? raceHere(*this, options) : raceInWorkers(*this, options);
    Timeline::end(options.timeline);
  }

  void begin(const Ready& ready) override {
    run_ = ready.run;
    if (resumedRun_) requireAlike(run_, "now", options_.json);
    hasBegun_ = true;
    reporter_.begin(run_, static_cast<int>(mine_.size()), longestOperator_);
    for (const std::string& complaint : ready.complaints) complain(complaint);
    if (!journal_.complaint().empty()) complain(journal_.complaint());
    rows_.reserve(mine_.size());
    if (resumed_ > 0) reportResumed();
  }

  std::optional<Job> next() override {
    while (next_ < samples_.size() && isDone_[next_ + 1]) ++next_;
    if (next_ == samples_.size() || interrupted_()) return std::nullopt;
    Job job{static_cast<int>(next_ + 1), std::exchange(samples_[next_], {})};
    ++next_;
    return job;
  }

  void start(Job& job) override {
    job.casesLeft = cases_.left();
    reporter_.progress(job.sample.op + " " + brief(job.sample));
  }

  bool isInterrupted() const override { return interrupted_(); }
  void complain(const std::string& what) override { reporter_.complain(what); }

  /// A sample is done once its lines are written.
  void take(const Finished& finished) override {
    journal_.append(finished.lines);
    report(results::sampleResultOf(finished.lines, "results", 1));
  }

  void report(SampleResult result) {
    run_.ceilings = highest(run_.ceilings, result.run.ceilings);
    reporter_.row(result);
    cases_.add(result.row);
    rows_.push_back(slim(std::move(result.row)));
  }

  Summary end() {
    sortByIndex(rows_);
    Summary summary = summarize(rows_, run_);
    if (run_.isAA) keepAANoise(summary.aaNoise, keyOfAANoise(), runtime::Cache(options_.cache));
    reporter_.end(summary);
    if (const std::string beyond = cases_.complaint(); !beyond.empty()) complain(beyond);
    return summary;
  }

  std::string keyOfAANoise() const {
    return aaNoiseKey(run_.deviceName, run_.processors, run_.software, mainMeasure(run_), run_.flush);
  }

  std::vector<inputs::Sample> samples_;  ///< samples that were handed out are gone
  const int longestOperator_;
  const Options& options_;
  const std::vector<int> mine_;  ///< numbers of the samples of our shard
  Journal journal_;
  Reporter reporter_;
  const std::function<bool()>& interrupted_;
  size_t resumed_ = 0;             ///< samples of the file that is resumed
  std::optional<Run> resumedRun_;  ///< of the first of them
  std::vector<bool> isDone_;       ///< by the sample's number, from 1
  size_t next_ = 0;                ///< samples that were handed out or passed over
  bool hasBegun_ = false;
  CaseLimit cases_{options_.maxCases};
  Run run_;
  std::vector<Row> rows_;
};

}  // namespace

Summary sweep(std::vector<inputs::Sample> samples, const Options& options, Streams streams,
              const std::function<bool()>& interrupted) {
  return Sweep(std::move(samples), options, streams, interrupted)();
}

}  // namespace opbench
