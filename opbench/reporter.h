#pragma once

#include <fstream>
#include <ostream>
#include <string>

#include "opbench/options.h"
#include "opbench/report/console.h"
#include "opbench/row.h"
#include "opbench/summary.h"

namespace opbench {

/// The streams a run writes to, and what a terminal behind them can do.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool colour = false;    ///< `out` is a terminal
  bool progress = false;  ///< `err` is one
  int width = 100;        ///< columns of `err`
};

/// Writes a run's reports where the options say, as the run goes on. With `-` for a file nothing else goes to `out`.
class Reporter {
 public:
  /// Opens the files. Errors: Input where one cannot be written.
  Reporter(const Options& options, Streams streams);

  /// `run` outlives the reporter's use.
  void begin(const Run& run, int samples, int longestOperator);
  /// What is being raced, `seconds` after the first sample began.
  void progress(int done, const std::string& what, double seconds);
  /// What is not as it should be, though the run goes on; one line.
  void complain(const std::string& what);
  void row(const Row& row);
  void end(const Summary& summary);

 private:
  void clear();
  /// Flushes; an error where the disk refused.
  void flush(std::ostream& stream, const std::string& name);

  const Options& options_;
  Streams streams_;
  std::ofstream jsonFile_, csvFile_;
  std::ostream* json_ = nullptr;  ///< null where not wanted
  std::ostream* csv_ = nullptr;
  std::ostream* console_ = nullptr;  ///< null where standard output belongs to a file format
  const Run* run_ = nullptr;
  std::string lines_;  ///< JSON lines so far, where other formats are made of them
  report::Layout layout_;
  int samples_ = 0;
};

}  // namespace opbench
