#include "opbench/results/sample_result.h"

#include <doctest/doctest.h>

#include "opbench/report/console.h"
#include "opbench/report/json.h"
#include "tests/opbench/rows.h"
#include "tests/refusal.h"

using namespace opbench;

TEST_CASE("what was read is written as it was") {
  for (const Row& row : tests::exampleRows()) {
    const std::string lines = report::jsonLines(row, tests::exampleRun());
    const results::SampleResult result = results::sampleResultOf(lines, "r.jsonl", 1);
    CHECK(report::jsonLines(result.row, result.run) == lines);
  }
}

TEST_CASE("a row that names a case does so once it is read, and others have no such field") {
  Row row = tests::exampleRows()[0];
  const std::string without = report::jsonLines(row, tests::exampleRun());
  CHECK(without.find("\"case\"") == std::string::npos);
  row.outcomes[1].caseFolder = "opbench-cases/1-aten.add.Tensor";
  const std::string lines = report::jsonLines(row, tests::exampleRun());
  const results::SampleResult result = results::sampleResultOf(lines, "r.jsonl", 1);
  CHECK(result.row.outcomes[0].caseFolder == "");
  CHECK(result.row.outcomes[1].caseFolder == row.outcomes[1].caseFolder);
  CHECK(report::jsonLines(result.row, result.run) == lines);
}

TEST_CASE("secondary times that an earlier program kept as 0 are not measured, nor is what was compared with them") {
  for (const size_t lost : {0, 1}) {
    Row row = tests::exampleRows()[1];
    row.outcomes[lost].secondary->low = 0;
    if (lost == 0) row.outcomes[1].secondary->ratio = {0, 0, 0};
    const std::string lines = report::jsonLines(row, tests::exampleRun());
    const results::SampleResult result = results::sampleResultOf(lines, "r.jsonl", 1);
    for (const Outcome& outcome : result.row.outcomes) {
      CHECK(outcome.timing);
      CHECK_FALSE(outcome.secondary);
    }
    CHECK(summarize({result.row}, result.run).total.contenders[1].secondary.samples == 0);
  }
}

TEST_CASE("why a measure has no times is read as it was written, and other rows have no such field") {
  Row row = tests::exampleRows()[1];
  CHECK(report::jsonLines(row, tests::exampleRun()).find("not_measured") == std::string::npos);
  row.notMeasured = "throughput: not surely more than 0, as something disturbs the device";
  const results::SampleResult result = results::sampleResultOf(report::jsonLines(row, tests::exampleRun()), "r.jsonl", 1);
  CHECK(result.row.notMeasured == row.notMeasured);
}

TEST_CASE("a library call's candidates are read as they were written") {
  Row row = tests::exampleRows()[4];
  row.outcomes[1].library = "channels_last";
  row.outcomes[1].libraryTrial =
      LibraryTrial{"channels_last", 1.21, {{"", 6.3e-6}, {"channels_last", 5.2e-6}}, {"addmm: it does not fit"}};
  const std::string lines = report::jsonLines(row, tests::exampleRun());
  CHECK(
      lines.find(
          R"("library":"channels_last","library_trial":{"library":"channels_last","gain":1.21,"tried":[{"library":"","us":6.3},)"
          R"({"library":"channels_last","us":5.2}],"refused":["addmm: it does not fit"]})") != std::string::npos);
  const results::SampleResult result = results::sampleResultOf(lines, "r.jsonl", 1);
  CHECK(report::jsonLines(result.row, result.run) == lines);
}

TEST_CASE("reports of what was read are those of what was raced") {
  Run run = tests::exampleRun();
  std::vector<Row> read;
  const report::Layout layout{25};
  for (const Row& row : tests::exampleRows()) {
    const results::SampleResult result = results::sampleResultOf(report::jsonLines(row, run), "r.jsonl", 1);
    CHECK(report::line(result.row, result.run, layout) == report::line(row, run, layout));
    read.push_back(result.row);
  }
  CHECK(report::table(summarize(read, run), run, layout) == report::table(summarize(tests::exampleRows(), run), run, layout));
}

TEST_CASE("seeds of 64 bits survive") {
  Run run = tests::exampleRun();
  run.seed = ~uint64_t{0};
  CHECK(results::sampleResultOf(report::jsonLines(tests::exampleRows()[0], run), "r.jsonl", 1).run.seed == run.seed);
}

TEST_CASE("a line of an operator that no sample may call is refused with its place") {
  const auto refusal = [](const std::string& op) {
    std::string lines = report::jsonLines(tests::exampleRows()[0], tests::exampleRun());
    const std::string name = "\"op\":\"" + tests::exampleRows()[0].op + "\"";
    REQUIRE(lines.find(name) != std::string::npos);
    lines.replace(lines.find(name), name.size(), "\"op\":\"" + op + "\"");
    return tests::refusal(ir::ErrorKind::Input, [&] { results::sampleResultOf(lines, "r.jsonl", 7); });
  };
  CHECK(refusal("aten.from_file.default") == "r.jsonl:7: aten.from_file.default is refused: it maps a file");
  CHECK(refusal("=cmd|'/c'!A0") == "r.jsonl:7: '=cmd|'/c'!A0' is not an operator name such as aten.add.Tensor");
}
