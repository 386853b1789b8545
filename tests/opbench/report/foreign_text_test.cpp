// Text of other people's results, in whatever is made of them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "inputs/files.h"
#include "opbench/compare/compare.h"
#include "opbench/compare/report.h"
#include "opbench/front/show.h"
#include "opbench/report/csv.h"
#include "opbench/report/html/race.h"
#include "opbench/report/junit.h"
#include "opbench/results/write.h"
#include "opbench/show/options.h"
#include "tests/opbench/rows.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;
using nlohmann::json;

namespace {

/// A mark in all texts of a line but those that have to be known words, and in the name of a field.
void mark(json& object, const std::string& text) {
  for (auto& [name, value] : object.items()) {
    // Other words than those that opbench knows are refused here.
    const bool isWord = name == "op" || name == "status" || name == "device" || name == "dtype" || name == "contender" ||
                        name == "kind" || name == "stopped";
    if (value.is_string() && !isWord) value = value.get<std::string>() + text + "end";
    if (value.is_structured()) mark(value, text);
  }
  if (object.is_object()) object["field" + text] = "foreign" + text;
}

/// The lines of a results file, all of them marked; the last contender of the sample has this status.
std::string marked(const std::string& text, const std::string& status) {
  std::string result;
  std::istringstream lines(results::jsonLines(tests::exampleRows()[1], tests::exampleRun()));
  for (std::string line; std::getline(lines, line);) {
    json object = json::parse(line);
    if (object["contender"] == "opbench") object["status"] = status;
    mark(object, text);
    result += object.dump() + "\n";
  }
  return result;
}

std::string shown(const std::string& file, const std::string& format) {
  ShowOptions options;
  options.files = {file};
  options.format = format;
  options.columns = {"op", "sample", "reason", "device_name", "results"};
  std::ostringstream out, err;
  check(options);
  showResults(options, "", out, err, false);
  return out.str() + err.str();
}

}  // namespace

TEST_CASE("no mark that turns text, ends a line or rules a terminal is in a page, CSV, Markdown or JUnit of foreign results") {
  const tests::TemporaryFolder folder;
  const std::string file = folder.path / "r.jsonl", page = folder.path / "r.html";
  for (const std::string mark : {"\u202e", "\u2066", "\u009b", "\u2028", "\x7f", "\x1b", "\r"}) {
    inputs::writeFile(file, marked(mark, "wrong"));
    const results::Results results = results::readFile(file), before = results::read(marked(mark, "ok"), "before.jsonl");
    report::html::writeResults(page, results);
    const compare::Comparison comparison = compare::compare(before, results);
    const std::string formats[] = {inputs::readFile(page, {size_t{1} << 30, size_t{1} << 30}),
                                   report::samplesCsv(results.records),
                                   report::junit(results.records),
                                   compare::markdown(comparison),
                                   compare::junit(comparison, {}),
                                   shown(file, "csv"),
                                   shown(file, "markdown"),
                                   shown(file, "table")};
    for (size_t i = 0; i < std::size(formats); ++i) {
      CAPTURE(i);
      CAPTURE(json(mark).dump(-1, ' ', true));
      CHECK(formats[i].find("end") != std::string::npos);
      CHECK(formats[i].find(mark) == std::string::npos);
      CHECK(formats[i].find(json(mark).dump(-1, ' ', true).substr(1, 6)) == std::string::npos);  // nor by its number
    }
  }
}

TEST_CASE("no cell of CSV is a formula, behind blanks neither") {
  for (const std::string formula : {"=1+1", "+1", "-1", "@a", "\t=1+1", " \r\n=1+1"})
    CHECK(report::csvField(formula) == "\"'" + formula + "\"");
  CHECK(report::csvField("a=1") == "a=1");
  CHECK(report::csvField("\ta") == "\ta");
}
