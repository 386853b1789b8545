#include "opbench/front/show.h"

#include "inputs/text/printable.h"
#include "opbench/show/pager.h"
#include "opbench/show/view.h"

namespace opbench {

void showResults(const ShowOptions& options, const std::string& pager, std::ostream& out, std::ostream& err, bool colour) {
  const show::Lines lines = show::readLines(options);
  for (const std::string& complaint : lines.complaints) err << "opbench: " << inputs::printable(complaint) << "\n";
  const show::Table table = show::view(lines, options);
  if (table.rows.empty()) err << "opbench: no line of results passes the filters\n";
  show::page(show::textOf(table, show::formatFromName(options.format).value_or(show::Format::Table), colour), pager, out);
}

}  // namespace opbench
