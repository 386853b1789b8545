#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/show/lines.h"

namespace opbench::show {

/// A column as it was asked for.
struct ShownColumn {
  std::string heading, field;
  bool isNumeric = false;
};

/// What is shown: columns, and the values of each line in their order.
struct Table {
  std::vector<ShownColumn> columns;
  std::vector<std::vector<Value>> rows;
};

enum class Format { Table, Markdown, Latex, Csv };
/// `table`, `markdown`, `latex`, `csv`.
std::vector<std::string> formatNames();
std::optional<Format> formatFromName(std::string_view name);

/// The table as a text. Numbers have few digits, but all that they have in CSV. `colour` is for the form of a terminal.
std::string textOf(const Table& table, Format format, bool colour);

}  // namespace opbench::show
