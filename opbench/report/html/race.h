#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "opbench/report/html/rows.h"
#include "opbench/results/read.h"

namespace opbench::report::html {

/// The file of --html for a race: it is there from the first sample on, replaced as a whole every few seconds while the race goes
/// on, and once more when it ends. A page that is open in a browser follows it.
class Race {
 public:
  /// Errors: Input where the file cannot be written; what it holds stays until there is a sample.
  explicit Race(std::string file);

  /// `samples` that the race is to have; `dump` is the folder of its stages (--dump), empty where there is none.
  void begin(int samples, std::string dump);
  /// Adds the lines of a sample. They stand in a results file from line `place` on, or in none where `file` is empty.
  void add(std::string_view lines, std::string_view file, int place);
  /// Replaces the file, unless it was written a moment ago. Writing takes a fiftieth of the time at most. Returns why the file
  /// could not be written, which is no reason to end a race; empty where it could.
  std::string follow();
  /// Writes the file when all samples are there. Errors: Input.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  nlohmann::json stagesOf(const nlohmann::json& line);
  void write(bool isComplete) const;

  std::string file_, dump_;
  Rows rows_;
  int samples_ = 0;
  size_t stageBytes_ = 0;  ///< of all stages so far
  Clock::time_point next_{};
  std::chrono::duration<double> period_{};
};

/// Writes the page of results that were read from a file. Errors: Input.
void writeResults(const std::string& file, const results::Results& results);

}  // namespace opbench::report::html
