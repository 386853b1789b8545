#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opbench/settings/sample_mode.h"

namespace opbench {

/// Where the samples of a run come from.
enum class Source {
  Files,   ///< SelectionSettings::suites and ::inputs
  Rnn,     ///< Options::rnn
  Models,  ///< Options::model
};

/// The program whose habits a run has.
enum class Compat { None, Operatorbench };

/// Which samples a run selects. Workers are told none of it: they are given samples.
struct SelectionSettings {
  Source source = Source::Files;
  std::vector<std::string> suites;  ///< names in the folder of suites; all of them where `inputs` is empty as well
  std::vector<std::string> inputs;  ///< files and folders of samples
  std::string suitesFolder;         ///< empty where none was found
  std::vector<std::string> ops{"all"};
  std::vector<std::string> filters;   ///< patterns: an operator matches one of them as well; empty lets all pass
  std::vector<std::string> excludes;  ///< patterns: it matches none of them
  SampleMode sampleMode = SampleMode::Top;
  int64_t maxSamples = 15;       ///< an operator; 0 is all
  int64_t startIdx = 0;          ///< samples of each operator that are passed over first
  Compat compat = Compat::None;  ///< whose defaults, skips and lines a race has
};

}  // namespace opbench
