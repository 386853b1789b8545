#pragma once

#include <string>

namespace opbench {

/// Where results go, and what of them is shown.
struct OutputSettings {
  std::string csv, json;               ///< files; `-` is standard output, empty is none
  std::string dashboard, junit, html;  ///< files; empty is none
  std::string samplesCsv;              ///< a file of a line for each sample and contender; empty is none
  std::string markdown;                ///< the file of Verb::List's table as markdown; empty is none
  bool showRuns = false;               ///< whether the times of a sample's runs are drawn
  bool quiet = false;                  ///< whether only what a run ends with is shown
};

}  // namespace opbench
