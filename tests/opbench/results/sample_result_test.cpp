#include "opbench/results/sample_result.h"

#include <doctest/doctest.h>

#include <sstream>

#include "opbench/report/console.h"
#include "opbench/results/write.h"
#include "tests/opbench/rows.h"
#include "tests/refusal.h"

using namespace opbench;

TEST_CASE("what was read is written as it was") {
  for (const Row& row : tests::exampleRows()) {
    const std::string lines = results::jsonLines(row, tests::exampleRun());
    const results::SampleResult result = results::sampleResultOf(lines, "r.jsonl", 1);
    CHECK(results::jsonLines(result.row, result.run) == lines);
  }
}

TEST_CASE("a histogram of runs is read as it was written, and other rows have no such field") {
  Row row = tests::exampleRows()[1];
  CHECK(results::jsonLines(row, tests::exampleRun()).find("histogram") == std::string::npos);
  row.outcomes[1].timing->histogram = {23e-6, 25.92e-6, {2, 30, 0, 10}};
  const std::string lines = results::jsonLines(row, tests::exampleRun());
  const results::SampleResult result = results::sampleResultOf(lines, "r.jsonl", 1);
  CHECK(result.row.outcomes[1].timing->histogram.counts == std::vector<int64_t>{2, 30, 0, 10});
  CHECK(results::jsonLines(result.row, result.run) == lines);
}

TEST_CASE("a line says what made it: releases, the GPU and its limits, the machine; of the sample the state of the GPU") {
  Run run = tests::exampleRun();
  runtime::Environment& environment = run.environment;
  environment.torch = "2.11.0";
  environment.cuda = environment.nvrtc = "13.0";
  environment.driver = "580.65.06";
  environment.gpu = "GPU-01234567-89ab-cdef-0123-456789abcdef";
  environment.powerLimit = 700;
  environment.mostClock = 1.98e9;
  environment.ecc = true;
  environment.mig = false;
  environment.host = "node7";
  environment.cpu = "Example CPU";
  environment.kernel = "6.1.0";
  run.started = "2026-11-25T17:41:15Z";
  Row row = tests::exampleRows()[1];
  row.gpu = runtime::GpuState{83, 699.5, 3.201e9, {"sw_power_cap", "sw_thermal_slowdown"}, 0.012, 0.5, 2};
  const std::string lines = results::jsonLines(row, run);
  const results::SampleResult result = results::sampleResultOf(lines, "r.jsonl", 1);
  CHECK(result.run.environment == run.environment);
  CHECK(result.run.started == run.started);
  CHECK(result.row.gpu == row.gpu);
  CHECK(results::jsonLines(result.row, result.run) == lines);
  CHECK(isCapped(result.row));
  CHECK(isShared(result.row));

  run.environment = {};  // of a CPU of which nothing is known
  row.gpu.reset();
  const std::string bare = results::jsonLines(row, run);
  CHECK(bare.find("\"gpu_uuid\":null") != std::string::npos);
  CHECK(bare.find("\"gpu\":null") != std::string::npos);
  CHECK(results::sampleResultOf(bare, "r.jsonl", 1).run.environment == run.environment);
  CHECK_FALSE(isShared(row));
  CHECK_FALSE(isCapped(row));
}

TEST_CASE("a clock is held down where the driver counts it, or without counters where it says so at the end") {
  Row row = tests::exampleRows()[1];
  row.gpu = runtime::GpuState{};
  CHECK_FALSE(isCapped(row));
  row.gpu->clockEvents = {"applications_clocks_setting"};
  CHECK_FALSE(isCapped(row));
  row.gpu->clockEvents = {"sw_power_cap"};
  CHECK(isCapped(row));
  row.gpu->powerCapSeconds = 0;  // it came once the race was over
  CHECK_FALSE(isCapped(row));
}

TEST_CASE("the state over a span has the growth of its counters and the most processes") {
  const runtime::GpuState begin{40, 300, 2.6e9, {}, 1.5, 2, 1}, end{50, 400, 3.2e9, {"sw_power_cap"}, 1.75, 2, 0};
  const runtime::GpuState span = runtime::between(begin, end);
  CHECK(span == runtime::GpuState{50, 400, 3.2e9, {"sw_power_cap"}, 0.25, 0, 1});
  CHECK(runtime::between({}, end).powerCapSeconds == std::nullopt);
}

TEST_CASE("a row that names a case does so once it is read, and others have no such field") {
  Row row = tests::exampleRows()[0];
  const std::string without = results::jsonLines(row, tests::exampleRun());
  CHECK(without.find("\"case\"") == std::string::npos);
  row.outcomes[1].caseFolder = "opbench-cases/1-aten.add.Tensor";
  const std::string lines = results::jsonLines(row, tests::exampleRun());
  const results::SampleResult result = results::sampleResultOf(lines, "r.jsonl", 1);
  CHECK(result.row.outcomes[0].caseFolder == "");
  CHECK(result.row.outcomes[1].caseFolder == row.outcomes[1].caseFolder);
  CHECK(results::jsonLines(result.row, result.run) == lines);
}

TEST_CASE("secondary times that an earlier program kept as 0 are not measured, nor is what was compared with them") {
  for (const size_t lost : {0, 1}) {
    Row row = tests::exampleRows()[1];
    row.outcomes[lost].secondary->interval->low = 0;
    if (lost == 0) row.outcomes[1].secondary->ratio = {0, Interval{0, 0}};
    const std::string lines = results::jsonLines(row, tests::exampleRun());
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
  CHECK(results::jsonLines(row, tests::exampleRun()).find("not_measured") == std::string::npos);
  row.notMeasured = "throughput: not surely more than 0, as something disturbs the device";
  const results::SampleResult result = results::sampleResultOf(results::jsonLines(row, tests::exampleRun()), "r.jsonl", 1);
  CHECK(result.row.notMeasured == row.notMeasured);
}

TEST_CASE("a library call's candidates are read as they were written") {
  Row row = tests::exampleRows()[4];
  row.outcomes[1].library = "channels_last";
  row.outcomes[1].libraryTrial =
      LibraryTrial{"channels_last", 1.21, {{"", 6.3e-6}, {"channels_last", 5.2e-6}}, {"addmm: it does not fit"}};
  const std::string lines = results::jsonLines(row, tests::exampleRun());
  CHECK(
      lines.find(
          R"("library":"channels_last","library_trial":{"library":"channels_last","gain":1.21,"tried":[{"library":"","us":6.3},)"
          R"({"library":"channels_last","us":5.2}],"refused":["addmm: it does not fit"],"stored":false})") != std::string::npos);
  const results::SampleResult result = results::sampleResultOf(lines, "r.jsonl", 1);
  CHECK(results::jsonLines(result.row, result.run) == lines);
}

TEST_CASE("reports of what was read are those of what was raced") {
  Run run = tests::exampleRun();
  std::vector<Row> read;
  const report::Layout layout{25};
  for (const Row& row : tests::exampleRows()) {
    const results::SampleResult result = results::sampleResultOf(results::jsonLines(row, run), "r.jsonl", 1);
    CHECK(report::line(result.row, result.run, layout) == report::line(row, run, layout));
    read.push_back(result.row);
  }
  CHECK(report::table(summarize(read, run), run, layout) == report::table(summarize(tests::exampleRows(), run), run, layout));
}

TEST_CASE("seeds of 64 bits survive") {
  Run run = tests::exampleRun();
  run.seed = ~uint64_t{0};
  CHECK(results::sampleResultOf(results::jsonLines(tests::exampleRows()[0], run), "r.jsonl", 1).run.seed == run.seed);
}

TEST_CASE("a line of an operator that no sample may call is refused with its place") {
  const auto refusal = [](const std::string& op) {
    std::string lines = results::jsonLines(tests::exampleRows()[0], tests::exampleRun());
    const std::string name = "\"op\":\"" + tests::exampleRows()[0].op + "\"";
    REQUIRE(lines.find(name) != std::string::npos);
    lines.replace(lines.find(name), name.size(), "\"op\":\"" + op + "\"");
    return tests::refusal(ir::ErrorKind::Input, [&] { results::sampleResultOf(lines, "r.jsonl", 7); });
  };
  CHECK(refusal("aten.from_file.default") == "r.jsonl:7: aten.from_file.default is refused: it maps a file");
  CHECK(refusal("=cmd|'/c'!A0") == "r.jsonl:7: '=cmd|'/c'!A0' is not an operator name such as aten.add.Tensor");
}

TEST_CASE("a speedup whose times are missing is refused with its place") {
  std::string eager, opbench;
  {
    std::istringstream lines(results::jsonLines(tests::exampleRows()[1], tests::exampleRun()));
    std::getline(lines, eager);
    std::getline(lines, opbench);
  }
  const auto without = [](std::string line, const std::string& field) {
    const size_t at = line.find("\"" + field + "\":");
    REQUIRE(at != std::string::npos);
    return line.erase(at, line.find(',', at) + 1 - at);
  };
  const auto refusal = [](const std::string& lines) {
    return tests::refusal(ir::ErrorKind::Input, [&] { results::sampleResultOf(lines, "r.jsonl", 7); });
  };
  CHECK(refusal(eager + "\n" + without(opbench, "median_us") + "\n") == "r.jsonl:8: \"speedup\" stands without \"median_us\"");
  CHECK(refusal(without(without(eager, "median_us"), "speedup") + "\n" + opbench + "\n") ==
        "r.jsonl:8: \"speedup\" is over a baseline without \"median_us\"");
}
