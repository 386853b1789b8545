// Results files of schema 1, which lack the field `schema`, say the same as those that are written now. tests/golden/
// report-schema-1.jsonl is the report of the example rows as the last version of schema 1 wrote it.
#include "opbench/results/schema.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "opbench/cases/case.h"
#include "opbench/compare/compare.h"
#include "opbench/report/dashboard.h"
#include "opbench/report/junit.h"
#include "opbench/results/read.h"
#include "opbench/results/sample_result.h"
#include "opbench/results/write.h"
#include "tests/golden.h"
#include "tests/opbench/rows.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"

using namespace opbench;
using results::SampleResult;

namespace {

std::filesystem::path oldFile() { return tests::settings().golden / "report-schema-1.jsonl"; }
std::string oldText() { return tests::contentOf(oldFile()); }

std::string newText() {
  std::string text;
  for (const Row& row : tests::exampleRows()) text += results::jsonLines(row, tests::exampleRun());
  return text;
}

std::vector<SampleResult> resultsOf(const std::string& text) {
  std::vector<SampleResult> found;
  std::istringstream stream(text);
  results::readSampleResults(stream, "r.jsonl", 0, [&](SampleResult result) { found.push_back(std::move(result)); });
  return found;
}

std::string schemaRefusal(const std::string& schema) {
  const std::string line = R"({"schema":)" + schema + R"(,"index":1,"op":"aten.neg.default"})" + "\n";
  const std::string refusal = tests::refusal(ir::ErrorKind::Input, [&] { results::read(line, "r.jsonl"); });
  CHECK(tests::refusal(ir::ErrorKind::Input, [&] { resultsOf(line); }) == refusal);
  return refusal;
}

}  // namespace

TEST_CASE("schema is the first field of a line") { CHECK(newText().starts_with(R"({"schema":2,"index":1,)")); }

TEST_CASE("rows of schema 1 are those of the current one") {
  const auto before = resultsOf(oldText()), now = resultsOf(newText());
  REQUIRE(before.size() == now.size());
  for (size_t i = 0; i < now.size(); ++i) {
    CHECK(before[i].schema == 1);
    CHECK(now[i].schema == results::currentSchema);
    CHECK(results::jsonLines(before[i].row, before[i].run) == now[i].lines);
    CHECK(before[i].hasSums);
  }
}

TEST_CASE("records of schema 1 are those of the current one: equal when compared, and when converted") {
  const results::Results before = results::read(oldText(), "old.jsonl"), now = results::read(newText(), "new.jsonl");
  CHECK(before.complaints.empty());
  REQUIRE(before.records.size() == now.records.size());
  for (size_t i = 0; i < now.records.size(); ++i) {
    const results::Record &a = before.records[i], &b = now.records[i];
    CHECK(a.kind == b.kind);
    CHECK(a.disposition == b.disposition);
    CHECK(a.secondary == b.secondary);
    CHECK(a.secondaryInterval.has_value() == b.secondaryInterval.has_value());
    CHECK(a.isLaunchBound == b.isLaunchBound);
    CHECK(a.aaNoise == b.aaNoise);
    CHECK(a.rounds == b.rounds);
  }
  CHECK(now.records[2].secondary == 12.0);
  CHECK(report::dashboard(before.records) == report::dashboard(now.records));
  CHECK(report::junit(before.records) == report::junit(now.records));
  CHECK(compare::comparabilityIssues(before, now).empty());
  for (const compare::Compared& row : compare::compare(before, now).rows) {
    const bool isEqual = row.verdict == compare::Verdict::Same || row.verdict == compare::Verdict::Unfixed ||
                         row.verdict == compare::Verdict::Wrong;
    CHECK_MESSAGE(isEqual, compare::name(row.verdict));
  }
}

TEST_CASE("a sample is repeated from a line of schema 1") {
  const tests::TemporaryFolder folder;
  std::ofstream(folder.path / "new.jsonl") << newText();
  const Case before = readCase(oldFile().string() + ":4"), now = readCase((folder.path / "new.jsonl").string() + ":4");
  CHECK(before.sample.recorded == now.sample.recorded);
  CHECK(aboutCase(before) == aboutCase(now));
  CHECK(raceSettings(before, {}).dtype == raceSettings(now, {}).dtype);
  CHECK(raceSettings(before, {}).seed == 7);
}

TEST_CASE("the names of schema 1, and the words of its texts") {
  auto line = nlohmann::json::parse(
      R"({"options":"--repeats 3 --self-test --cases a--self-test","self_test":true,"kind":"extern","family":"extern",)"
      R"("tuning":{"tried":[{"tiling":"rows","us":2}]},"reason":"extern"})");
  results::translate(line);
  CHECK(line == nlohmann::json::parse(
                    R"({"options":"--repeats 3 --aa --cases a--self-test","aa":true,"kind":"fallback","family":"fallback",)"
                    R"("tuning":{"tried":[{"schedule":"rows","us":2}]},"reason":"extern"})"));
  for (const char* odd :
       {R"({"tuning":3,"options":7,"kind":null})", R"({"tuning":{"tried":{}}})", R"({"tuning":{"tried":[1]}})"}) {
    auto untouched = nlohmann::json::parse(odd);
    results::translate(untouched);
    CHECK(untouched == nlohmann::json::parse(odd));
  }
  auto current = nlohmann::json::parse(R"({"schema":2,"spread":1})");
  results::translate(current);
  CHECK(current.contains("spread"));
}

TEST_CASE("lines of a schema to come, or of none, are refused") {
  CHECK(schemaRefusal("3") == "r.jsonl:1: results of schema 3; this opbench reads 1 and 2");
  for (const char* odd : {"0", "-1", "1.5", "null", "\"2\"", "1e300"})
    CHECK(schemaRefusal(odd) == "r.jsonl:1: \"schema\" must be a whole number from 1");
}
