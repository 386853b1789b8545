#include "opbench/results/read.h"

#include <doctest/doctest.h>

#include "ir/error.h"
#include "opbench/results/sample_result.h"
#include "opbench/results/write.h"
#include "tests/opbench/rows.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;
using results::Disposition;
using results::Record;
using results::Results;

namespace {

const std::string good = R"-({"op":"aten.a.default","sample":"((1,), {})","device":"cpu","dtype":"float32",)-"
                         R"("contender":"opbench","status":"ok","median_us":2.5})";

/// The message that refuses a file of these bytes.
std::string refusal(const std::string& text) {
  try {
    results::read(text, "r.jsonl");
  } catch (const ir::Error& error) {
    CHECK(error.kind() == ir::ErrorKind::Input);
    return error.what();
  }
  return "accepted";
}

/// `good` with one text replaced.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = good;
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("what --json writes is read back") {
  std::string text;
  for (const Row& row : tests::exampleRows()) text += results::jsonLines(row, tests::exampleRun());
  const Results read = results::read(text, "r.jsonl");
  CHECK(read.complaints.empty());
  REQUIRE(read.records.size() == 14);
  const Record& add = read.records[3];
  CHECK(add.place == 4);
  CHECK(add.op == "aten.add.Tensor");
  CHECK(add.sample == "((T([4096, 4096], f16), T([4096, 4096], f16)), {})");
  CHECK(add.file == "recorded/torchbench/bert.txt");
  CHECK(add.line == 12);
  CHECK(add.count == 120);
  CHECK(add.contender == "opbench");
  CHECK(add.kind == "generated");
  CHECK(add.disposition == Disposition::Measured);
  CHECK(add.median == 24.0);
  CHECK(add.percentiles->low == 23.52);
  CHECK(add.speedup == 1.25);
  CHECK(add.rounds.size() == 3);
  CHECK(add.deviceName == "Example GPU");
  CHECK(add.seed == 7);
  CHECK(read.records[7].disposition == Disposition::Wrong);
  CHECK(read.records[7].reason.starts_with("output 0 is wrong at [2]"));
  CHECK(read.records[11].disposition == Disposition::Unmeasured);
}

TEST_CASE("a line has the time of each stage, in a sample that was raced") {
  Row row = tests::exampleRows()[1];
  CHECK(results::jsonLines(row, tests::exampleRun()).find("stages_ms") == std::string::npos);
  row.stageSeconds = {{"racing", 1.25}, {"checking", 0.0425}};
  const std::string lines = results::jsonLines(row, tests::exampleRun());
  CHECK(lines.find("\"stages_ms\":{\"checking\":42.5,\"racing\":1250.0}") != std::string::npos);
  CHECK(results::sampleResultOf(lines, "r.jsonl", 1).row.stageSeconds == row.stageSeconds);
}

TEST_CASE("intervals, clocks and marks are read where a file has them") {
  const Record record = results::recordOf(
      changed(
          "\"median_us\":2.5",
          R"("median_us":2.5,"low_us":2.4,"high_us":2.6,"speedup":1.0,"speedup_low":0.9,"speedup_high":1.1,"clock_mhz":1980,"aa_noise":0.01,)"
          R"("launch_bound":true,"flush":"write","data":"normal","channels_last":true)"),
      "r.jsonl:1");
  CHECK(record.medianInterval->low == 2.4);
  CHECK(record.speedupInterval->high == 1.1);
  CHECK(record.clockMhz == 1980);
  CHECK(record.aaNoise == 0.01);
  CHECK(record.isLaunchBound);
  CHECK(record.flush == "write");
  CHECK(record.data == "normal");
  CHECK(record.channelsLast);
}

TEST_CASE("a last line that breaks off is passed over; equal lines: the later one counts") {
  const Results torn = results::read(good + "\n" + good.substr(0, 40), "r.jsonl");
  CHECK(torn.records.size() == 1);
  CHECK(torn.complaints == std::vector<std::string>{"r.jsonl:2: the line is cut off and is skipped"});
  const Results repeated = results::read(good + "\n" + changed("2.5", "3.5") + "\n", "r.jsonl");
  REQUIRE(repeated.records.size() == 1);
  CHECK(repeated.records[0].median == 3.5);
  CHECK(repeated.complaints == std::vector<std::string>{"r.jsonl: 1 lines repeat samples of earlier lines and replace them"});
  CHECK(results::read(good, "r.jsonl").complaints.empty());
}

TEST_CASE("what is none of ours is refused in one line that says where and what") {
  CHECK(refusal("") == "r.jsonl: no results in this file");
  CHECK(refusal("op,speedup\n") == "r.jsonl:1: not JSON from column 1 on");
  CHECK(refusal(good + "\n" + good.substr(0, 40) + "\n" + good + "\n") == "r.jsonl:2: not JSON from column 41 on");
  CHECK(refusal("[1, 2]\n") == "r.jsonl:1: expected an object, got an array");
  CHECK(refusal("{\"name\": 1}\n") == "r.jsonl:1: no \"op\"; expected a line of --json results");
  CHECK(refusal(changed("\"aten.a.default\"", "7")) == "r.jsonl:1: \"op\" must be a string, got a number");
  CHECK(refusal(changed("aten.a.default", "aten.from_file.default")) ==
        "r.jsonl:1: aten.from_file.default is refused: it maps a file");
  CHECK(refusal(changed("aten.a.default", "=1+2,a")) == "r.jsonl:1: '=1+2,a' is not an operator name such as aten.add.Tensor");
  CHECK(refusal(changed("\"ok\"", "\"splendid\"")) == "r.jsonl:1: unknown status 'splendid'");
  CHECK(refusal(changed("2.5", "\"fast\"")) == "r.jsonl:1: \"median_us\" must be a number, got a string");
  CHECK(refusal(changed("2.5", "-2.5")) == "r.jsonl:1: \"median_us\" must not be negative, got -2.5");
  CHECK(refusal(changed("2.5", "1e999")) == "r.jsonl:1: a number that is too large");
  CHECK(refusal(changed("2.5", "2.5,\"low_us\":3,\"high_us\":2")) == "r.jsonl:1: \"low_us\" must be at most \"high_us\"");
  CHECK(refusal(changed("2.5", R"(2.5,"p20_us":3,"p80_us":2)")) == R"(r.jsonl:1: "p20_us" must be at most "p80_us")");
  CHECK(refusal(changed("2.5", "2.5,\"line\":1e30")) == "r.jsonl:1: \"line\" must be a whole number from 0");
  CHECK(refusal(changed("2.5", "2.5,\"rounds_us\":[1,null]")) == "r.jsonl:1: \"rounds_us\" must be a number, got null");
  CHECK(refusal(std::string(size_t{2} << 20, '[')) == "r.jsonl:1: the line is longer than 1048576 bytes");
  CHECK(refusal(std::string(500'000, '[')) == "r.jsonl:1: not JSON from column 500001 on");
  CHECK(refusal(std::string("\xff\xfe\x00", 3)) == "r.jsonl:1: not JSON from column 1 on");
  tests::TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(results::readFile(folder.path), ("cannot read " + folder.path.string() + ": it is a folder").c_str(),
                       ir::Error);
  CHECK_THROWS_WITH_AS(results::readFile("/nonexistent"), "cannot read /nonexistent: No such file or directory", ir::Error);
}

TEST_CASE("what a terminal would obey is not passed on") {
  CHECK(results::recordOf(changed("\"ok\"", "\"ok\",\"reason\":\"a\\u001b[2Jb\\nc\""), "r").reason == "a?[2Jb\nc");
}
