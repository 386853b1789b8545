// The table of fields, which writes, reads and documents the lines of --json.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "inputs/files.h"
#include "inputs/text/words.h"
#include "opbench/results/line.h"
#include "opbench/results/write.h"
#include "tests/golden.h"
#include "tests/opbench/rows.h"

using namespace opbench;

TEST_CASE("docs/measurement.md has the table of fields as the program writes them") {
  const std::string page = inputs::readFile(tests::settings().golden / "../../docs/measurement.md");
  const std::string table = results::fieldsTable();
  CHECK_MESSAGE(page.find(table) != std::string::npos, "the table of docs/measurement.md is to be:\n" << table);
}

TEST_CASE("a line has no field that is not in the table") {
  std::set<std::string> known;
  for (const results::LineField& each : results::lineFields())
    for (const std::string_view name : inputs::split(each.field.name, ", ")) known.emplace(name);
  for (const Row& row : tests::exampleRows()) {
    const std::string lines = results::jsonLines(row, tests::exampleRun());
    const auto line = nlohmann::json::parse(lines.substr(0, lines.find('\n')));
    for (const auto& [name, value] : line.items()) {
      CAPTURE(name);
      CHECK((name == "sum" || known.contains(name)));
    }
  }
}
