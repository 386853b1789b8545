#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "opbench/presentation/presentation.h"
#include "opbench/presentation/stage.h"
#include "opbench/presentation/streams.h"
#include "opbench/report/progress.h"
#include "opbench/report/summary.h"
#include "opbench/results/record.h"
#include "opbench/results/row.h"
#include "opbench/results/sample_result.h"
#include "opbench/settings/options.h"

namespace opbench {

namespace report::html {
class Race;
}

/// Shows a run as it goes on, in the ways of presentation.h, and writes reports of it where the options say when it ends; its
/// results (--json) are the journal's to write. With `-` for a file nothing else goes to `out`.
class Reporter {
 public:
  /// Errors: Input where a file cannot be written; what it holds stays until there is a report.
  Reporter(const Options& options, Streams streams);
  ~Reporter();

  /// `run` outlives the reporter's use.
  void begin(const Run& run, int samples, int longestOperator);
  /// A sample is begun: on a terminal one line shows how far the run is, elsewhere one is written each minute.
  void progress(const std::string& what);
  /// Reports a problem that does not end the run; one line.
  void complain(const std::string& what);
  /// `file` is the results file that the sample was read from; empty where the run has raced it.
  void row(const results::SampleResult& result, const std::string& file = "");
  void end(const Summary& summary);

 private:
  using Clock = std::chrono::steady_clock;

  void addToPage(const results::SampleResult& result, const std::string& file);

  const Options& options_;
  Stage stage_;
  const std::vector<std::unique_ptr<Presentation>> presentations_;
  std::vector<results::Record> records_;      ///< where formats are made of them
  std::unique_ptr<report::html::Race> page_;  ///< null where there is none
  int linesOfResults_ = 0;                    ///< in the file of --json so far
  bool isPageRefused_ = false;                ///< whether it was said that the page cannot be replaced
  report::Progress progress_;
  std::optional<Clock::time_point> start_;  ///< when the first sample was begun
  Clock::time_point told_;                  ///< when a line of progress was written last
};

}  // namespace opbench
