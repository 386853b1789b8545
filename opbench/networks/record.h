#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "opbench/networks/model.h"
#include "opbench/settings/networks.h"

namespace runtime {
class Device;
}

namespace opbench {

struct Options;

/// What was recorded of a step.
struct Recording {
  std::string calls;                           ///< as a file of samples
  std::map<std::string, std::string> regions;  ///< files of samples, by the names of regions
  std::string report;                          ///< what was found, in lines
  bool isFine = true;                          ///< the check, where there is one, found no difference
};

/// Records a step of Options::recording's model on a device. Errors: Input; Unsupported for what cannot be captured.
Recording recordingOf(const Options& options, runtime::Device& device);

/// Writes a recording's files, and says what was found. Errors: Input.
void write(const Recording& recording, const RecordOptions& options, std::ostream& out);

}  // namespace opbench
