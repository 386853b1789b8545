#include "opbench/results/raced.h"

#include <doctest/doctest.h>

#include "opbench/report/console.h"
#include "opbench/report/json.h"
#include "tests/opbench/rows.h"

using namespace opbench;

TEST_CASE("what was read is written as it was") {
  for (const Row& row : tests::exampleRows()) {
    const std::string lines = report::jsonLines(row, tests::exampleRun());
    const results::Raced raced = results::racedOf(lines, "r.jsonl", 1);
    CHECK(report::jsonLines(raced.row, raced.run) == lines);
  }
}

TEST_CASE("a row that names a case does so once it is read, and others have no such field") {
  Row row = tests::exampleRows()[0];
  const std::string without = report::jsonLines(row, tests::exampleRun());
  CHECK(without.find("\"case\"") == std::string::npos);
  row.outcomes[1].caseFolder = "opbench-cases/1-aten.add.Tensor";
  const std::string lines = report::jsonLines(row, tests::exampleRun());
  const results::Raced raced = results::racedOf(lines, "r.jsonl", 1);
  CHECK(raced.row.outcomes[0].caseFolder == "");
  CHECK(raced.row.outcomes[1].caseFolder == row.outcomes[1].caseFolder);
  CHECK(report::jsonLines(raced.row, raced.run) == lines);
}

TEST_CASE("reports of what was read are those of what was raced") {
  Run run = tests::exampleRun();
  std::vector<Row> read;
  const report::Layout layout = report::layoutFor(25, run.contenders, false);
  for (const Row& row : tests::exampleRows()) {
    const results::Raced raced = results::racedOf(report::jsonLines(row, run), "r.jsonl", 1);
    CHECK(report::line(raced.row, raced.run, layout) == report::line(row, run, layout));
    read.push_back(raced.row);
  }
  CHECK(report::table(summarize(read, run), run, layout) == report::table(summarize(tests::exampleRows(), run), run, layout));
}

TEST_CASE("seeds of 64 bits survive") {
  Run run = tests::exampleRun();
  run.seed = ~uint64_t{0};
  CHECK(results::racedOf(report::jsonLines(tests::exampleRows()[0], run), "r.jsonl", 1).run.seed == run.seed);
}
