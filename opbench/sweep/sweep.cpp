#include "opbench/sweep/sweep.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include "ir/error.h"
#include "opbench/brief.h"
#include "opbench/report/formats.h"
#include "opbench/sweep/agenda.h"
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

class Sweep : private Agenda {
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
      const std::string note = journal_.resume(samples_, [&](Raced raced) { know(std::move(raced)); });
      if (!note.empty()) complain(note);
    }
    std::exception_ptr failure;
    try {
      raceAll();
    } catch (const ir::Error&) {
      if (!hasBegun_) throw;
      failure = std::current_exception();
    }
    Summary summary = end();
    if (failure) std::rethrow_exception(failure);
    return summary;
  }

 private:
  /// A sample of the file that is resumed; it is reported once the sweep begins.
  void know(Raced raced) {
    isDone_[static_cast<size_t>(raced.row.index)] = true;
    if (!report::wantsFormats(options_)) raced.lines.clear();
    known_.push_back(std::move(raced));
  }

  void raceAll() {
    // Where nothing is left to do there is no need of a device.
    if (known_.size() == samples_.size() && !known_.empty()) return begin({known_.front().run, ""});
    Options options = options_;
    options.samples = static_cast<int>(samples_.size());
    options.inProcess ? raceHere(*this, options) : raceInWorkers(*this, options);
  }

  void begin(const Ready& ready) override {
    run_ = ready.run;
    for (const Raced& raced : known_)
      if (raced.run.deviceName != run_.deviceName)
        ir::fail(ir::ErrorKind::Input, "{} was raced on {}, this is {}", options_.json, raced.run.deviceName, run_.deviceName);
    hasBegun_ = true;
    reporter_.begin(run_, static_cast<int>(samples_.size()), longestOperator(samples_));
    if (!ready.complaint.empty()) complain(ready.complaint);
    for (Raced& raced : known_) report(std::move(raced));
    known_.clear();
    start_ = Clock::now();
  }

  std::optional<Job> next() override {
    while (next_ < samples_.size() && isDone_[next_ + 1]) ++next_;
    if (next_ == samples_.size() || interrupted_()) return std::nullopt;
    Job job{static_cast<int>(next_ + 1), samples_[next_]};
    ++next_;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    reporter_.progress(done_++, job.sample.op + " " + brief(job.sample), seconds);
    return job;
  }

  bool isInterrupted() const override { return interrupted_(); }
  void complain(const std::string& what) override { reporter_.complain(what); }

  /// A sample is done once its lines are written.
  void take(const Finished& finished) override {
    journal_.append(finished.lines);
    report(results::racedOf(finished.lines, "results", 1));
  }

  void report(Raced raced) {
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
  size_t next_ = 0;           ///< samples that were handed out or passed over
  int done_ = 0;
  bool hasBegun_ = false;
  Clock::time_point start_;
  Run run_;
  std::vector<Row> rows_;
};

}  // namespace

Summary sweep(const std::vector<inputs::Sample>& samples, const Options& options, Streams streams,
              const std::function<bool()>& interrupted) {
  return Sweep(samples, options, streams, interrupted)();
}

}  // namespace opbench
