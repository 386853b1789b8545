#pragma once

#include <string>
#include <vector>

#include "inputs/descriptor.h"
#include "opbench/timeline/stage.h"

namespace opbench {

/// A process's part of a Chrome trace, which Perfetto opens: a file to which all processes of a run add what they did, each event
/// a line of its own, so that what a process did is there however it ends.
class Timeline {
 public:
  /// Empty names are no file: nothing is written then. `process` names this process in the trace: `worker cuda:0`. Error: Input,
  /// where the file cannot be written.
  Timeline(const std::string& file, const std::string& process);
  /// Adds spans, and one around them with a name, as of their sample, where there is one.
  void add(const std::vector<Span>& spans, const std::string& around = "") const;

  /// Makes an empty trace of a file, before any process adds to it. Error: Input, where it cannot be written.
  static void begin(const std::string& file);
  /// Makes the file whole, after all have added to it.
  static void end(const std::string& file);

 private:
  void write(const std::string& event) const;

  inputs::Descriptor file_;
};

}  // namespace opbench
