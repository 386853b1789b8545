#pragma once

#include <string>
#include <vector>

namespace opbench {

/// How samples are profiled.
struct ProfileSettings {
  std::string label = {};   ///< what traces are named after; empty where it is the operator
  std::string folder;       ///< of traces; empty where nothing is profiled
  std::string date;         ///< of the run, as the names of its traces end: `112526-0415`
  int loops = 5;            ///< runs of each contender
  double sleepSeconds = 1;  ///< between contenders
  bool traces = true;       ///< whether traces are written; not where another tool watches
};

/// The file of a sample's trace: `FOLDER/prof_add.Tensor-3_112526-0415.json` of the third sample of a run.
std::string traceFile(const ProfileSettings& settings, const std::string& op, int index);
/// Month, day, year, hour and minute, as fastrnns writes them: `112526-0415`.
std::string dateTag();

/// The settings as a worker is told them, and what they say. Error: Input for any other text.
std::string toText(const ProfileSettings& settings);
ProfileSettings profileSettingsFrom(const std::string& text);

}  // namespace opbench
