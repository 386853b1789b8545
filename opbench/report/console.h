#pragma once

#include <string>

#include "opbench/report/columns.h"
#include "opbench/report/summary.h"
#include "opbench/results/row.h"

namespace opbench::report {

/// The room that a console has.
struct Layout {
  int longestOperator = 20;
  int room = 0;  ///< characters of a line; 0 is no limit: nothing is cut and every column is shown
  bool colour = false;
  bool hasLines = true;  ///< whether samples have lines, and not the report at the end alone
  bool blocks = false;   ///< whether characters may be drawn with that ASCII lacks
  bool runs = false;     ///< whether the runs of samples are drawn
};

/// The run, its measures, and the columns' headings: three lines.
std::string heading(const Run& run, int samples, const Layout& layout);
/// One line; further ones, indented, say why a contender is not ok.
std::string line(const Row& row, const Run& run, const Layout& layout);
/// The meanings of the columns that lines, or these tables, have room for.
std::string columnLegend(const Run& run, const Layout& layout, const std::vector<Columns>& tables = {});
/// Why opbench calls ATen instead of a generated kernel, as an indented line; empty where it does not.
std::string fallback(const Row& row, const Layout& layout);
/// A legend, tables of groups of samples, and the totals. What a sample's own line says already is not repeated.
std::string table(const Summary& summary, const Run& run, const Layout& layout);

}  // namespace opbench::report
