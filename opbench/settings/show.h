#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opbench {

/// The options of `opbench show`.
struct ShowOptions {
  std::vector<std::string> files;             ///< of results
  std::vector<std::string> filters, columns;  ///< FIELD=VALUE and the like; names of fields
  std::string sort;              ///< a field, `-` before it where the largest come first; empty keeps the files' order
  std::string models;            ///< a folder of regions, whose networks are shown instead of lines; empty shows lines
  int64_t limit = 0;             ///< lines that are shown at most; 0 is all
  std::string format = "table";  ///< table, markdown, latex or csv
};

}  // namespace opbench
