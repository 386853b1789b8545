#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "opbench/results/fields.h"
#include "opbench/show/options.h"

namespace opbench::show {

using Value = results::Scalar;

/// A line of results: a contender on a sample, with the fields that were asked for.
struct Line {
  std::map<std::string, Value> fields;
  bool isBaseline = false;

  /// Absent where the line lacks the field.
  const Value& operator[](const std::string& field) const;
};

/// The columns where none are asked for.
inline constexpr const char* usualColumnNames[] = {"results", "op", "contender", "time", "speedup", "SOL", "status", "brief"};

/// The fields that tables of networks are made of (models.h).
inline constexpr const char* modelFields[] = {"op", "sample", "contender", "kind", "file", "count", "median_us", "copy_us"};

/// The lines of several results files, and the fields that any of them has, in order.
struct Lines {
  std::vector<Line> lines;
  std::vector<std::string> fields;
  std::vector<std::string> complaints;  ///< of the reader of results
};

/// The lines of the options' files, with the fields that these options mean. Errors: Input, for a file that cannot be read, with
/// the nearest name in its folder, or is none of results.
Lines readLines(const ShowOptions& options);

/// The field that a user's name means: `time` is median_us. Nothing where no line has it.
std::optional<std::string> findField(const std::string& name, const Lines& lines);
/// The same. Errors: Input, with the nearest names, where no line has it; `where` is the option.
std::string fieldNamed(const std::string& name, const Lines& lines, const std::string& where);

/// Whether any line has a number there.
bool isNumeric(const std::string& field, const Lines& lines);

}  // namespace opbench::show
