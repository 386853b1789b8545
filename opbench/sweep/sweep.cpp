#include "opbench/sweep/sweep.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include "ir/error.h"
#include "opbench/brief.h"
#include "opbench/sweep/journal.h"
#include "opbench/sweep/racer.h"

namespace opbench {
namespace {

using Clock = std::chrono::steady_clock;
using results::Raced;

int longestOperator(const std::vector<inputs::Sample>& samples) {
  size_t longest = 0;
  for (const inputs::Sample& sample : samples) longest = std::max(longest, sample.op.size());
  return static_cast<int>(longest);
}

/// Without what no report shows any more, for thousands of samples are kept.
Row slim(Row row) {
  row.sample = row.file = row.suite = {};
  for (Outcome& outcome : row.outcomes)
    if (outcome.timing) outcome.timing->rounds = {};
  return row;
}

/// The best of each that was measured in the course of a run.
Ceilings best(const Ceilings& a, const Ceilings& b) {
  return {std::max(a.copy, b.copy), std::max(a.read, b.read), std::max(a.flops, b.flops), std::min(a.floor, b.floor)};
}

class Sweep {
 public:
  Sweep(const std::vector<inputs::Sample>& samples, const Options& options, Streams streams,
        const std::function<bool()>& interrupted)
      : samples_(samples),
        options_(options),
        journal_(options, streams.out, samples.size()),
        reporter_(options, streams),
        interrupted_(interrupted),
        isDone_(samples.size() + 1) {}

  Summary operator()() {
    if (options_.resume) {
      const std::string note = journal_.resume(samples_, [&](Raced raced) { known_.push_back(std::move(raced)); });
      if (!note.empty()) reporter_.complain(note);
    }
    Racer racer(options_, static_cast<int>(samples_.size()));
    begin(racer.run(), racer.complaint());
    std::exception_ptr failure;
    try {
      raceAll(racer);
    } catch (const ir::Error&) {
      failure = std::current_exception();
    }
    Summary summary = end();
    if (failure) std::rethrow_exception(failure);
    return summary;
  }

 private:
  void begin(const Run& run, const std::string& complaint) {
    run_ = run;
    reporter_.begin(run_, static_cast<int>(samples_.size()), longestOperator(samples_));
    if (!complaint.empty()) reporter_.complain(complaint);
    for (Raced& raced : known_) {
      if (raced.run.deviceName != run.deviceName)
        ir::fail(ir::ErrorKind::Input, "{} was raced on {}, this is {}", options_.json, raced.run.deviceName, run.deviceName);
      report(std::move(raced));
    }
    known_.clear();
  }

  void raceAll(Racer& racer) {
    const Clock::time_point start = Clock::now();
    int done = 0;
    for (size_t i = 1; i <= samples_.size() && !interrupted_(); ++i) {
      if (isDone_[i]) continue;
      const Job job{static_cast<int>(i), samples_[i - 1]};
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      reporter_.progress(done++, job.sample.op + " " + brief(job.sample), seconds);
      take(racer.race(job));
    }
  }

  /// A sample is done once its lines are written.
  void take(const std::string& lines) {
    journal_.append(lines);
    report(results::racedOf(lines, "results", 1));
  }

  void report(Raced raced) {
    isDone_[static_cast<size_t>(raced.row.index)] = true;
    run_.ceilings = best(run_.ceilings, raced.run.ceilings);
    reporter_.row(raced);
    rows_.push_back(slim(std::move(raced.row)));
  }

  Summary end() {
    std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.index < b.index; });
    Summary summary = summarize(rows_, run_);
    if (!summary.spreads.empty()) keepSpread(summary.spreads.front().p95, run_, runtime::Cache(options_.cache));
    reporter_.end(summary);
    return summary;
  }

  const std::vector<inputs::Sample>& samples_;
  const Options& options_;
  Journal journal_;
  Reporter reporter_;
  const std::function<bool()>& interrupted_;
  std::vector<Raced> known_;  ///< of the file that is resumed, until they are reported
  std::vector<bool> isDone_;  ///< by the sample's number, from 1
  Run run_;
  std::vector<Row> rows_;
};

}  // namespace

Summary sweep(const std::vector<inputs::Sample>& samples, const Options& options, Streams streams,
              const std::function<bool()>& interrupted) {
  return Sweep(samples, options, streams, interrupted)();
}

}  // namespace opbench
