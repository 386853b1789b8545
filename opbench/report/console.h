#pragma once

#include <string>

#include "opbench/report/summary.h"
#include "opbench/run/row.h"

namespace opbench::report {

/// How the lines of a run are laid out on a console.
struct Layout {
  int operatorWidth = 20;
  int sampleWidth = 40;
  bool colour = false;
};

/// A layout of at most 160 columns, notes aside, for operators' names up to `longestOperator` characters.
Layout layoutFor(int longestOperator, const std::vector<Contender>& contenders, bool colour);

/// What is measured where, and the columns' names: two lines.
std::string heading(const Run& run, int samples, const Layout& layout);
/// One line; further ones, indented, say why a contender is not ok.
std::string line(const Row& row, const Run& run, const Layout& layout);
/// A line for each operator and contender beside the baseline, and the totals.
std::string table(const Summary& summary, const Run& run, const Layout& layout);

}  // namespace opbench::report
