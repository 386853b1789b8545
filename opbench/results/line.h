#pragma once

#include <string>

#include "opbench/results/codec.h"
#include "opbench/results/row.h"

namespace opbench::results {

/// A line of results as it is read: a contender on a sample in a run.
struct Line {
  Row& row;
  Outcome& outcome;
  Run& run;
};
/// A line of results as it is written.
struct WrittenLine {
  const Row& row;
  const Outcome& outcome;
  const Run& run;
};
template <>
struct SeenBy<Line> {
  using Writer = const WrittenLine;
};

/// Whose a field is: all lines of a sample, or of a run, have the same.
enum class Part { Sample, Outcome, Run };

/// A field of a line, and the row of docs/measurement.md that tells of it.
struct LineField {
  Part part = Part::Sample;
  std::string_view topic;
  Field<Line> field;
};

/// Every field of a line in the order of the line. This table is what is written, read and documented: a new figure is one row.
const std::vector<LineField>& lineFields();

/// The table of docs/measurement.md: the fields of a line by topic.
std::string fieldsTable();

}  // namespace opbench::results
