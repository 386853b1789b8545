#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "inputs/operator_name.h"
#include "opbench/presentation/streams.h"
#include "opbench/report/console.h"
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

/// Shows a run as it goes on, and writes reports of it where the options say when it ends; its results (--json) are the journal's
/// to write. With `-` for a file nothing else goes to `out`.
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

  void clear();
  bool isRnn() const { return options_.verb == Verb::Rnn; }
  bool isModel() const { return options_.verb == Verb::Model; }
  /// Whether operatorbench's lines stand in place of ours.
  bool isOperatorbench() const { return options_.compat == Compat::Operatorbench; }
  /// Whether the verb shows rows of networks alone, in tables of its own, when all are there.
  bool hasOwnTables() const { return isRnn() || isModel(); }
  /// Where our own tables of `opbench rnn` go, fastrnns' to standard error; null where it prints JSON.
  std::ostream* rnnConsole() const { return options_.rnn.printJson.empty() ? console_ : nullptr; }
  void addToPage(const results::SampleResult& result, const std::string& file);
  void showNetwork(const results::SampleResult& result);
  void endNetworks();
  void endRnn();
  void endModels();
  void endRunner();
  void endOperatorbench();
  /// Whether a row is a model's that is merged: models are shown in a table of their own there, too.
  bool isMergedModel(const Row& row) const {
    return options_.verb == Verb::Merge && inputs::kindOf(row.op) == inputs::SampleKind::Model;
  }
  /// Our tables of models.
  std::string ours(const report::Layout& layout) const;

  const Options& options_;
  Streams streams_;
  std::ostream* console_ = nullptr;  ///< null where standard output belongs to a file format
  const Run* run_ = nullptr;
  std::vector<results::Record> records_;      ///< where formats are made of them
  std::unique_ptr<report::html::Race> page_;  ///< null where there is none
  int linesOfResults_ = 0;                    ///< in the file of --json so far
  bool isPageRefused_ = false;                ///< whether it was said that the page cannot be replaced
  report::Layout layout_;
  std::vector<Row> networks_;        ///< of a verb that has tables of its own
  std::vector<Row> operatorbench_;   ///< where its lines are shown, which come last
  std::set<std::string> fallbacks_;  ///< operators with reasons that were told
  report::Progress progress_;
  std::optional<Clock::time_point> start_;  ///< when the first sample was begun
  Clock::time_point told_;                  ///< when a line of progress was written last
};

}  // namespace opbench
