#include "opbench/show/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "opbench/report/csv.h"
#include "opbench/report/format.h"

namespace opbench::show {
namespace {

using report::Tone;

using Texts = std::vector<std::string>;

std::string inOneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// About four significant digits.
std::string digits(double value) {
  const double size = std::abs(value);
  if (size >= 1000) return fmt::format("{:.0f}", value);
  if (size >= 100) return fmt::format("{:.1f}", value);
  return size == 0 || size >= 0.01 ? fmt::format("{:.2f}", value) : fmt::format("{:.2g}", value);
}

/// Whether a column has whole numbers alone.
bool isWhole(const Table& table, size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
    const auto* number = std::get_if<double>(&row[column]);
    return number == nullptr || *number == std::floor(*number);
  });
}

/// The cells as people read them.
std::vector<Texts> cellsOf(const Table& table) {
  std::vector<Texts> cells(table.rows.size());
  for (size_t column = 0; column < table.columns.size(); ++column) {
    const bool whole = isWhole(table, column);
    for (size_t row = 0; row < table.rows.size(); ++row) {
      const Value& value = table.rows[row][column];
      const auto* number = std::get_if<double>(&value);
      const auto* text = std::get_if<std::string>(&value);
      cells[row].push_back(number ? (whole ? fmt::format("{:.0f}", *number) : digits(*number)) : text ? inOneLine(*text) : "-");
    }
  }
  return cells;
}

Tone toneOf(const ShownColumn& column, const Value& value) {
  const auto* number = std::get_if<double>(&value);
  if (column.field.ends_with("speedup") && number) return report::toneOfSpeedup(*number);
  const auto* text = std::get_if<std::string>(&value);
  return column.field == "status" && text && *text != "ok" ? Tone::Bad : Tone::Plain;
}

/// Columns of equal width, two blanks apart; a last column of texts has no width.
std::string plain(const Table& table, bool colour) {
  const std::vector<Texts> cells = cellsOf(table);
  std::vector<size_t> widths;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    widths.push_back(table.columns[i].heading.size());
    for (const Texts& row : cells) widths[i] = std::max(widths[i], report::charactersOf(row[i]));
  }
  const auto padded = [&](size_t i, const std::string& text, Tone tone) {
    const bool isLast = i + 1 == table.columns.size() && !table.columns[i].isNumeric;
    const std::string blanks(isLast ? 0 : widths[i] - report::charactersOf(text), ' ');
    const std::string body = report::toned(text, tone, colour);
    return (i == 0 ? "" : "  ") + (table.columns[i].isNumeric ? blanks + body : body + blanks);
  };
  std::string result;
  for (size_t i = 0; i < table.columns.size(); ++i) result += padded(i, table.columns[i].heading, Tone::Strong);
  result += "\n";
  for (size_t row = 0; row < cells.size(); ++row) {
    for (size_t i = 0; i < table.columns.size(); ++i)
      result += padded(i, cells[row][i], toneOf(table.columns[i], table.rows[row][i]));
    result += "\n";
  }
  return result;
}

/// Foreign text as a cell: one line, in which nothing is a link, a tag, or the end of the cell.
std::string markdownCell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>()#|@!").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string markdown(const Table& table) {
  std::string headings = "|", rule = "|", lines;
  for (const ShownColumn& column : table.columns) {
    headings += fmt::format(" {} |", markdownCell(column.heading));
    rule += column.isNumeric ? " ---: |" : " --- |";
  }
  for (const Texts& row : cellsOf(table)) {
    lines += "|";
    for (const std::string& cell : row) lines += fmt::format(" {} |", markdownCell(cell));
    lines += "\n";
  }
  return fmt::format("{}\n{}\n{}", headings, rule, lines);
}

std::string latexText(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("&%$#_{}").find(c) != std::string_view::npos)
      result += std::string("\\") + c;
    else if (c == '\\')
      result += "\\textbackslash{}";
    else if (c == '~')
      result += "\\textasciitilde{}";
    else if (c == '^')
      result += "\\textasciicircum{}";
    else
      result += c;
  }
  return result;
}

/// A tabular with the rules of the package booktabs.
std::string latex(const Table& table) {
  std::string columns, lines;
  const auto row = [](const Texts& cells) {
    std::string line;
    for (const std::string& cell : cells) line += (line.empty() ? "" : " & ") + (cell.empty() ? "{}" : latexText(cell));
    return line + " \\\\\n";
  };
  Texts titles;
  for (const ShownColumn& column : table.columns) {
    columns += column.isNumeric ? 'r' : 'l';
    titles.push_back(column.heading);
  }
  for (const Texts& cells : cellsOf(table)) lines += row(cells);
  return fmt::format("\\begin{{tabular}}{{{}}}\n\\toprule\n{}\\midrule\n{}\\bottomrule\n\\end{{tabular}}\n", columns, row(titles),
                     lines);
}

std::string csvText(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  const auto* text = std::get_if<std::string>(&value);
  return text ? report::csvField(*text) : "";
}

std::string csv(const Table& table) {
  std::string text;
  for (size_t i = 0; i < table.columns.size(); ++i) text += (i == 0 ? "" : ",") + report::csvField(table.columns[i].heading);
  text += "\n";
  for (const std::vector<Value>& row : table.rows) {
    for (size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ",") + csvText(row[i]);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string textOf(const Table& table, Format format, bool colour) {
  switch (format) {
    case Format::Table: return plain(table, colour);
    case Format::Markdown: return markdown(table);
    case Format::Latex: return latex(table);
    case Format::Csv: return csv(table);
  }
  return "";
}

}  // namespace opbench::show
