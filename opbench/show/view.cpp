#include "opbench/show/view.h"

#include <algorithm>

#include "opbench/show/filter.h"

namespace opbench::show {
namespace {

using Chosen = std::vector<const Line*>;

Chosen filtered(const Lines& lines, const ShowOptions& options) {
  std::vector<Filter> filters;
  for (const std::string& text : options.filters) filters.push_back(filterOf(text, lines));
  const bool namesContender =
      std::any_of(filters.begin(), filters.end(), [](const Filter& filter) { return filter.field == "contender"; });
  const bool hasOthers = std::any_of(lines.lines.begin(), lines.lines.end(), [](const Line& line) { return !line.isBaseline; });
  Chosen chosen;
  for (const Line& line : lines.lines) {
    if (line.isBaseline && hasOthers && !namesContender) continue;
    if (std::all_of(filters.begin(), filters.end(), [&](const Filter& filter) { return filter.holds(line); }))
      chosen.push_back(&line);
  }
  return chosen;
}

/// Lines without the field come last, whatever the order.
void sort(Chosen& chosen, const std::string& by, const Lines& lines) {
  const bool isDescending = by.starts_with('-');
  const std::string field = fieldNamed(by.substr(isDescending ? 1 : 0), lines, "--sort");
  std::stable_sort(chosen.begin(), chosen.end(), [&](const Line* a, const Line* b) {
    const Value &left = (*a)[field], &right = (*b)[field];
    const bool hasLeft = left.index() != 0, hasRight = right.index() != 0;
    if (!hasLeft || !hasRight) return hasLeft && !hasRight;
    return isDescending ? right < left : left < right;
  });
}

/// The columns where none are asked for, as far as the lines have them. What is the same of all lines is left out.
std::vector<std::string> usualColumns(const Chosen& chosen, const Lines& lines) {
  std::vector<std::string> columns;
  for (const std::string name : usualColumnNames) {
    const auto field = findField(name, lines);
    if (!field) continue;
    const bool isTold = name == "results" || name == "contender" || name == "status";
    const Value unsaid = isTold && !chosen.empty() ? (*chosen.front())[*field] : Value();
    const bool isWorthIt = std::any_of(chosen.begin(), chosen.end(), [&](const Line* line) { return (*line)[*field] != unsaid; });
    if (isWorthIt || chosen.empty()) columns.push_back(name);
  }
  return columns;
}

}  // namespace

Table view(const Lines& lines, const ShowOptions& options) {
  Chosen chosen = filtered(lines, options);
  if (!options.sort.empty()) sort(chosen, options.sort, lines);
  if (options.limit > 0 && chosen.size() > static_cast<size_t>(options.limit)) chosen.resize(static_cast<size_t>(options.limit));
  Table table;
  for (const std::string& name : options.columns.empty() ? usualColumns(chosen, lines) : options.columns) {
    const std::string field = fieldNamed(name, lines, "--columns");
    table.columns.push_back({name, field, isNumeric(field, lines)});
  }
  for (const Line* line : chosen) {
    table.rows.emplace_back();
    for (const ShownColumn& column : table.columns) table.rows.back().push_back((*line)[column.field]);
  }
  return table;
}

}  // namespace opbench::show
