#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opbench/report/format.h"

namespace opbench::report {

/// A column of figures, right-aligned behind a blank or more. Where room is short, columns of the highest rank are left out
/// first; rank 0 always stays.
struct Column {
  std::string heading;
  int width = 0;  ///< in characters, with the blanks before it
  int rank = 0;
};

struct Cell {
  std::string text;
  Tone tone = Tone::Plain;
};

/// The column of contenders of these names, whole where `room` is no limit.
Column contenderColumn(const std::vector<std::string>& names, int room);

/// A table that fits its room: a name, columns of figures, and a last text that is cut to the room that is left.
class Columns {
 public:
  /// `longestName` is the longest name's length, `room` the width of a line in characters; 0 is no limit.
  Columns(std::string name, int longestName, std::vector<Column> figures, std::string last, int room, bool colour);

  std::string heading() const;
  /// Whether there is room for the column of this heading.
  bool shows(std::string_view heading) const;
  /// One line; `cells` has a cell for every column, shown or not.
  std::string line(std::string_view name, const std::vector<Cell>& cells, const Cell& last) const;

 private:
  int figuresWidth(int rank) const;

  std::string name_, last_;
  std::vector<Column> figures_;
  bool colour_;
  int rank_ = 0;  ///< the highest that is shown
  int nameWidth_ = 0;
  int lastWidth_ = 0;  ///< 0 is no limit
};

}  // namespace opbench::report
