#include "opbench/front/show.h"

#include "inputs/text/printable.h"
#include "opbench/show/models.h"
#include "opbench/show/pager.h"
#include "opbench/show/view.h"

namespace opbench {
namespace {

/// The tables of networks, of the second the first rows.
std::vector<show::Table> tablesOf(const show::Lines& lines, const ShowOptions& options) {
  if (options.models.empty()) return {show::view(lines, options)};
  constexpr size_t usual = 20;
  const auto uses = inputs::regionUses(options.models);
  std::vector<show::Table> tables{show::modelsTable(lines, uses), show::gainsTable(lines, uses)};
  const size_t most = options.limit > 0 ? static_cast<size_t>(options.limit) : usual;
  if (tables[1].rows.size() > most) tables[1].rows.resize(most);
  return tables;
}

}  // namespace

void showResults(const ShowOptions& options, const std::string& pager, std::ostream& out, std::ostream& err, bool colour) {
  const show::Lines lines = show::readLines(options);
  for (const std::string& complaint : lines.complaints) err << "opbench: " << inputs::printable(complaint) << "\n";
  const show::Format format = show::formatFromName(options.format).value_or(show::Format::Table);
  std::string text;
  for (const show::Table& table : tablesOf(lines, options)) {
    if (table.rows.empty() && text.empty())
      err << (options.models.empty() ? "opbench: no line of results passes the filters\n"
                                     : "opbench: no line of results is of a network or region of this folder\n");
    text += (text.empty() ? "" : "\n") + show::textOf(table, format, colour);
  }
  show::page(text, pager, out);
}

}  // namespace opbench
