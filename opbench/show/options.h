#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace opbench {

/// The options of `opbench show`.
struct ShowOptions {
  std::vector<std::string> files;             ///< of results
  std::vector<std::string> filters, columns;  ///< FIELD=VALUE and the like; names of fields
  std::string sort;              ///< a field, `-` before it where the largest come first; empty keeps the files' order
  int64_t limit = 0;             ///< lines that are shown at most; 0 is all
  std::string format = "table";  ///< table, markdown, latex or csv
};

/// Adds the verb and its options.
void declareShow(CLI::App& app, ShowOptions& options);

/// Errors: Input, for values that cannot be meant.
void check(const ShowOptions& options);

}  // namespace opbench
