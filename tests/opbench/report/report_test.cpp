#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "opbench/report/console.h"
#include "opbench/report/csv.h"
#include "opbench/report/dashboard.h"
#include "opbench/report/format.h"
#include "opbench/report/junit.h"
#include "opbench/report/phrases.h"
#include "opbench/report/progress.h"
#include "opbench/results/read.h"
#include "opbench/results/sample_result.h"
#include "opbench/results/write.h"
#include "opbench/run/derive.h"
#include "tests/golden.h"
#include "tests/opbench/rows.h"

using namespace opbench;

namespace {

std::string console(const Run& run, const std::vector<Row>& rows, int room, bool colour = false) {
  const report::Layout layout{25, room, colour};
  std::string text = report::heading(run, static_cast<int>(rows.size()), layout);
  for (const Row& row : rows) text += report::line(row, run, layout) + report::fallback(row, layout);
  return text + report::table(summarize(rows, run), run, layout);
}

size_t longestLine(const std::string& text) {
  size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("    ")) longest = std::max(longest, line.size());  // reasons are told in full
  return longest;
}

/// The example rows as a results file has them.
std::vector<results::Record> exampleRecords() {
  std::string text;
  for (const Row& row : tests::exampleRows()) text += results::jsonLines(row, tests::exampleRun());
  return results::read(text, "example.jsonl").records;
}

}  // namespace

TEST_CASE("the console's report: whatever there is where nothing limits it") {
  tests::checkGolden("report-console.txt", console(tests::exampleRun(), tests::exampleRows(), 0));
}

TEST_CASE("the console's report fits its terminal: columns go first, then the ends of samples") {
  tests::checkGolden("report-console-80.txt", console(tests::exampleRun(), tests::exampleRows(), 80));
  for (const int room : {80, 100, 120, 160}) CHECK(longestLine(console(tests::exampleRun(), tests::exampleRows(), room)) <= room);
}

TEST_CASE("the console's report with three contenders names whose speedup it shows") {
  Run run = tests::exampleRun();
  run.contenders.push_back(Contender::Torchscript);
  std::vector<Row> rows = tests::exampleRows();
  for (Row& row : rows) {
    row.outcomes.push_back(row.outcomes[0]);
    row.outcomes.back().contender = Contender::Torchscript;
    derive(row, run);
  }
  tests::checkGolden("report-console-torchscript.txt", console(run, rows, 120));
  for (const int room : {80, 100, 120, 160}) CHECK(longestLine(console(run, rows, room)) <= room);
}

TEST_CASE("columns never run into each other: long names of contenders are whole where nothing limits a line, else cut") {
  Run run = tests::exampleRun();
  run.contenders = {Contender::Eager, Contender("a_long_namespace::relu_of_floats"),
                    Contender("a_long_namespace::relu_of_halves")};
  std::vector<Row> rows = tests::exampleRows();
  for (Row& row : rows) {
    row.outcomes.push_back(row.outcomes[1]);
    for (size_t i = 1; i < run.contenders.size(); ++i) row.outcomes[i].contender = run.contenders[i];
    derive(row, run);
  }
  const std::string whole = report::table(summarize(rows, run), run, {25, 0});
  CHECK(whole.find("  a_long_namespace::relu_of_floats  17.40 us  14.40 us") != std::string::npos);
  const report::Columns columns("operator", 8, {{"contender", 8, 0}, {"eager", 8, 0}}, "samples", 60, false);
  CHECK(columns.line("add", {{"my::relu_of_floats"}, {"12345678 us"}}, {"2"}) == "add      my::r.. 12345..  2\n");
}

TEST_CASE("runs that differ are those of whom they are: generated kernels, ATen's, or the user's operator by its name") {
  Run run = tests::exampleRun();
  std::vector<Row> rows{tests::exampleRows()[1]};
  const auto said = [&](const Contender& contender, runtime::Kind kind, Determinism determinism) {
    run.contenders[1] = rows[0].outcomes[1].contender = contender;
    rows[0].outcomes[1].kind = kind;
    rows[0].outcomes[1].determinism = determinism;
    return console(run, rows, 0);
  };
  const auto has = [](const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; };
  CHECK(has(said(Contender::Opbench, runtime::Kind::Generated, Determinism::WithinTolerance),
            "opbench: nondeterministic, two runs of generated kernels differ within the tolerance\n"));
  CHECK(has(said(Contender::Opbench, runtime::Kind::Fallback, Determinism::Neither),
            "opbench: nondeterministic, two runs of ATen's kernels differ beyond the tolerance\n"));
  for (const char* name : {"my::add", "my"}) {
    const std::string text = said(Contender(name), runtime::Kind::Fallback, Determinism::Neither);
    CHECK(has(text, fmt::format("{0}: nondeterministic, two runs of {0} differ beyond the tolerance\n", name)));
    CHECK(has(text, fmt::format("of 1 sample nondeterministic: two runs of {} differ\n", name)));
    CHECK_FALSE(has(text, "ATen's kernels"));
  }
}

TEST_CASE("one sample: its line has its figures, and nothing repeats them") {
  Run run = tests::exampleRun();
  run.recorded = {};
  const std::string text = console(run, {tests::exampleRows()[1]}, 0);
  const std::string figure = "30.00 us";
  CHECK(text.find(figure) != std::string::npos);
  CHECK(text.find(figure) == text.rfind(figure));
  CHECK(text.ends_with("\nopbench: 1 sample (1 generated)\n"));
}

TEST_CASE("a sample that is left out has its reason below its line") {
  CHECK(report::line(tests::exampleRows()[6], tests::exampleRun(), {})
            .ends_with("    arguments take 19999600002 bytes, more than --max-bytes 1000000000\n"));
}

TEST_CASE("a contender that races alone has no note that it equals itself") {
  Run run = tests::exampleRun();
  Row row = tests::exampleRows()[2];
  CHECK(report::notes(row, row.outcomes[1], run).starts_with("="));
  row.outcomes.erase(row.outcomes.begin());
  run.contenders.erase(run.contenders.begin());
  derive(row, run);
  CHECK(report::notes(row, row.outcomes[0], run).find('=') == std::string::npos);
}

TEST_CASE("notes mark a GPU that others used, and a clock that power or heat held down; both are counted") {
  const Run run = tests::exampleRun();
  Row row = tests::exampleRows()[1];
  row.gpu = runtime::GpuState{80, 700, 3.201e9, {"sw_power_cap"}, 0.25, 0, 1};
  CHECK(report::notes(row, row.outcomes[1], run) == "ps");
  const std::string text = console(run, {row, row}, 0);
  CHECK(text.find("p power or heat held the clock down, s other processes used the GPU") != std::string::npos);
  CHECK(text.find("2  of 2 samples raced while other processes used the GPU\n") != std::string::npos);
  CHECK(text.find("2  of 2 samples raced while power or heat held the clock down\n") != std::string::npos);
}

TEST_CASE("the legend explains the columns that there is room for") {
  const Run run = tests::exampleRun();
  CHECK(report::columnLegend(run, {20, 0}).find("throughput speedup: of runs back to back; SOL:") != std::string::npos);
  CHECK(report::columnLegend(run, {20, 60}).find("SOL") == std::string::npos);
}

TEST_CASE("a library call has its reason on the console") {
  CHECK(report::fallback(tests::exampleRows()[4], {}) == "    library call: complex numbers have no lowering\n");
  CHECK(report::fallback(tests::exampleRows()[1], {}) == "");
}

TEST_CASE("a candidate that makes a library call is named below it") {
  Row row = tests::exampleRows()[4];
  const auto hasLine = [&] {
    return report::line(row, tests::exampleRun(), {})
               .find("    library: channels_last: 1.21x over ATen's own call, of 2 candidates\n") != std::string::npos;
  };
  CHECK_FALSE(hasLine());
  row.outcomes[1].library = "channels_last";
  row.outcomes[1].libraryTrial = LibraryTrial{"channels_last", 1.21, {{"", 6.3e-6}, {"channels_last", 5.2e-6}}, {}};
  CHECK(hasLine());
}

TEST_CASE("colours are for terminals") {
  CHECK(console(tests::exampleRun(), tests::exampleRows(), 0).find('\033') == std::string::npos);
  CHECK(console(tests::exampleRun(), tests::exampleRows(), 0, true).find("\033[32m  1.25x +-1.0%\033[0m") != std::string::npos);
}

TEST_CASE("CSV: operatorbench's columns") {
  CHECK(report::csv(summarize(tests::exampleRows(), tests::exampleRun()), tests::exampleRun()) ==
        "Operator,opbench 20th,opbench 50th,opbench 80th\n"
        "aten._unsafe_view.default,1.000000,1.000000,1.000000\n"
        "aten.add.Tensor,1.050000,1.125000,1.200000\n"
        "aten.mul.Tensor,0.800000,0.800000,0.800000\n");
}

TEST_CASE("CSV of samples: a line for each sample and contender, texts of others in their fields") {
  std::istringstream lines(report::samplesCsv(exampleRecords()));
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  REQUIRE(all.size() == 1 + 2 * tests::exampleRows().size());
  CHECK(all[0].starts_with("op,sample,suite,count,dtype,device_name,contender,kind,status,reason,median_us,low_us,high_us,"));
  CHECK(all[4] ==
        "aten.add.Tensor,\"((T([4096, 4096], f16), T([4096, 4096], f16)), {})\",torchbench,120,float16,Example GPU,opbench,"
        "generated,ok,,24,23.88,24.24,23.52,25.2,300,1.25,1.245,1.255,4194.304");
}

TEST_CASE("the runs of a sample are drawn where that is asked for: a line for each contender that was timed") {
  Row row = tests::exampleRows()[1];
  const auto line = [&](bool runs, bool blocks) {
    return report::line(row, tests::exampleRun(), {25, 0, false, true, blocks, runs});
  };
  CHECK(line(true, false) == line(false, false));  // of an earlier program, which kept no histogram
  row.outcomes[0].timing->histogram = {28.8e-6, 32.4e-6, {2, 30, 150, 80, 20, 0, 8, 10}};
  row.outcomes[1].timing->histogram = {9.5e-6, 25.92e-6, {1}};
  CHECK(line(true, false)
            .ends_with("    eager    28.80 us |.:@+: ..| 32.40 us, 300 runs\n"
                       "    opbench   9.50 us |@| 25.92 us, 300 runs\n"));
  CHECK(line(true, true).find(" 28.80 us |▁▂█▅▂ ▁▁| 32.40 us, 300 runs\n") != std::string::npos);
  CHECK(line(false, true).find(" runs\n") == std::string::npos);
}

TEST_CASE("bars and columns of characters") {
  CHECK(report::sparkline({}, true).empty());
  CHECK(report::sparkline({0, 1, 8}, true) == " ▁█");
  CHECK(report::sparkline({0, 1, 8}, false) == " .@");
  CHECK(report::bar(1, 3) == "███");
  CHECK(report::bar(0.5, 3) == "█▌ ");
  CHECK(report::bar(7, 2) == "██");
  CHECK(report::bar(0, 2) == "  ");
  CHECK(report::cut("█████", 4) == "██..");
  CHECK(report::cut("████", 4) == "████");
}

TEST_CASE("a terminal of UTF-8 has a bar for each operator's speedup, the largest being the longest") {
  const report::Layout layout{25, 120, false, false, true};
  const std::string text = report::table(summarize(tests::exampleRows(), tests::exampleRun()), tests::exampleRun(), layout);
  CHECK(text.find("1.12x  ██████████ ") != std::string::npos);
  CHECK(text.find("0.80x  ███████▏   ") != std::string::npos);
  CHECK(report::table(summarize(tests::exampleRows(), tests::exampleRun()), tests::exampleRun(), {}).find("█") ==
        std::string::npos);
}

TEST_CASE("a report says where the time went, what took most first") {
  Summary summary = summarize(tests::exampleRows(), tests::exampleRun());
  summary.stageSeconds = {{"checking", 1}, {"racing", 3}};
  const std::string text = report::table(summary, tests::exampleRun(), {});
  CHECK(text.find("\ntime: 4.0 s; racing 75%, checking 25%\ncoverage: ") != std::string::npos);
}

TEST_CASE("a report says each figure once: a group of one sample is its line, and one of the same samples is not shown again") {
  const Run run = tests::exampleRun();
  std::vector<Row> rows(3, tests::exampleRows()[1]);
  for (int i = 0; i < 3; ++i) rows[static_cast<size_t>(i)].index = i + 1;
  rows[2].op = "aten.sub.Tensor";
  const std::string text = console(run, rows, 0);
  const std::string tables = text.substr(text.find("\n\n"));
  CHECK(tables.find("\naten.add.Tensor ") != std::string::npos);
  CHECK(tables.find("\naten.sub.Tensor ") == std::string::npos);
  CHECK(tables.find("\nfamily ") == std::string::npos);
  CHECK(tables.find("\nsize ") == std::string::npos);
}

TEST_CASE("counters of the hardware: a line for each kernel, or why there are none; files keep them") {
  std::vector<Row> rows{tests::exampleRows()[1]};
  rows[0].outcomes[0].counters = {{}, "cuptiRangeProfilerEnable: the driver keeps them to the administrator (35)"};
  rows[0].outcomes[1].counters = {{{"void at::add<float>(int)", 67.2e6, 33.4e6, 0.333, 0, 0.212, "long_scoreboard", 0.843}}, ""};
  const Run run = tests::exampleRun();
  const std::string text = console(run, rows, 0);
  CHECK(text.find("counters: eager  none: cuptiRangeProfilerEnable: the driver keeps them to the administrator (35)\n") !=
        std::string::npos);
  CHECK(text.find("counters: opbench  at::add<>: DRAM 67.2 MB read, 33.4 MB written, L2 hits 33%, tensor 0%, issue 21%, "
                  "long_scoreboard 84%\n") != std::string::npos);
  std::istringstream file(results::jsonLines(rows[0], run));
  results::readSampleResults(file, "r.jsonl", 2, [&](const results::SampleResult& result) {
    CHECK(results::jsonLines(result.row, result.run) == results::jsonLines(rows[0], run));
  });
}

TEST_CASE("JSON lines: one record a sample and contender") {
  std::string text;
  for (const Row& row : tests::exampleRows()) text += results::jsonLines(row, tests::exampleRun());
  tests::checkGolden("report.jsonl", text);
}

TEST_CASE("the dashboard's records: one a metric; strings in every extra_info; what failed has no latency") {
  const nlohmann::json list = nlohmann::json::parse(report::dashboard(exampleRecords()));
  REQUIRE(list.is_array());
  int latencies = 0, failures = 0;
  for (const auto& record : list) {
    for (const char* part : {"benchmark", "model", "metric"}) {
      CHECK(record[part]["name"].is_string());
      for (const auto& value : record[part]["extra_info"]) CHECK(value.is_string());
    }
    for (const auto& value : record["metric"]["benchmark_values"]) CHECK(value.is_number());
    const std::string metric = record["metric"]["name"];
    latencies += metric == "latency";
    failures += metric == "passed" && record["metric"]["benchmark_values"][0] == 0.0;
  }
  CHECK(latencies == 9);
  CHECK(failures == 1);
  const auto& latency = *std::find_if(list.begin(), list.end(), [](const auto& record) {
    return record["metric"]["name"] == "latency" && record["model"]["backend"] == "opbench" &&
           record["benchmark"]["extra_info"]["operator_name"] == "aten.add.Tensor";
  });
  CHECK(latency["model"]["name"] == "aten.add.Tensor ((T([4096, 4096], f16), T([4096, 4096], f16)), {})");
  CHECK(latency["metric"]["benchmark_values"] == nlohmann::json({24.0, 23.52, 25.2}));
  CHECK(latency["benchmark"]["dtype"] == "float16");
  CHECK(latency["runners"][0]["name"] == "cuda");
  CHECK(latency["runners"][0]["type"] == "Example GPU");
  CHECK(latency["dependencies"]["opbench"]["version"] == "opbench 0.1.0");
}

TEST_CASE("a run as JUnit: failures and what is skipped, with the reason") {
  const std::string text = report::junit(exampleRecords());
  CHECK(text.find("<testsuites name=\"opbench\" tests=\"14\" failures=\"1\" skipped=\"4\">") != std::string::npos);
  CHECK(text.find("<failure type=\"wrong\" message=\"output 0 is wrong at [2]") != std::string::npos);
  CHECK(text.find("<skipped message=\"sparse tensors are not supported\"/>") != std::string::npos);
}

TEST_CASE("JUnit: a case takes its part of the sample's wall time, and has its time and its speedup as properties") {
  std::vector<results::Record> records;
  Row row = tests::exampleRows()[1];
  row.wallSeconds = 3;
  std::istringstream lines(results::jsonLines(row, tests::exampleRun()));
  for (std::string line; std::getline(lines, line);) records.push_back(results::recordOf(line, "r.jsonl:1"));
  records[1].isBaseline = false;
  records[0].isBaseline = true;
  const std::string text = report::junit(records);
  CHECK(text.find("time=\"1.500000000\"") != std::string::npos);
  CHECK(text.find("<property name=\"median_us\" value=\"24\"/>") != std::string::npos);
  CHECK(text.find("<property name=\"speedup\" value=\"1.25\"/>") != std::string::npos);
  CHECK(text.find("<property name=\"speedup\"") == text.rfind("<property name=\"speedup\""));
}

TEST_CASE("JUnit: what was checked and not timed has passed") {
  results::Record record;
  record.op = "aten.neg.default";
  record.status = "ok";
  record.disposition = results::Disposition::Unmeasured;
  const std::string text = report::junit({record});
  CHECK(text.find("tests=\"1\" failures=\"0\" skipped=\"0\"") != std::string::npos);
}

TEST_CASE("numbers have about four digits") {
  CHECK(report::microseconds(5.1234e-6) == "5.12");
  CHECK(report::microseconds(123.46e-6) == "123.5");
  CHECK(report::microseconds(12345.6e-6) == "12346");
  CHECK(report::microseconds(std::nullopt) == "-");
  CHECK(report::time(5.1234e-6) == "5.12 us");
  CHECK(report::time(9999e-6) == "9999 us");
  CHECK(report::time(12345.6e-6) == "12.35 ms");
  CHECK(report::time(568.571e-3) == "568.6 ms");
  CHECK(report::time(12.5) == "12.50 s");
  CHECK(report::speedup(1.236) == "1.24x");
  CHECK(report::gigabytes(7.42e9) == "7.4");
  CHECK(report::gigabytes(3581e9) == "3581");
  CHECK(report::percent(0.874) == "87%");
  CHECK(report::left("aten.native_layer_norm", 12) == "aten.nativ..");
  CHECK(report::right("abc", 5) == "  abc");
  CHECK(report::wrapped("one two three four", 0) == "one two three four");
  CHECK(report::wrapped("one two three four", 9) == "one two\n    three\n    four");
}

TEST_CASE("progress: one line, with the time that is left once that can be told, and what has failed") {
  CHECK(report::progress({0, 0, 431, 0, 2}, "aten.add.Tensor f16[3]", 60) == "[  1/431] aten.add.Tensor f16[3]");
  CHECK(report::progress({31, 0, 431, 31, 31}, "aten.add.Tensor f16[3]", 60) == "[ 32/431] aten.add.Tensor f16[3]  6:40 left");
  CHECK(report::progress({31, 2, 431, 31, 31}, "aten.add.Tensor f16[3]", 60) ==
        "[ 32/431] 2 failed  aten.add.Tensor f16[3]  6:40 left");
  CHECK(report::progress({31, 0, 431, 31, 310}, "aten.add.Tensor f16[3, 4, 5, 6], f16[3, 4, 5, 6]", 50) ==
        "[ 32/431] aten.add.Tensor f16[3, 4..  1:06:40 left");
  CHECK(report::progress({131, 2, 431, 100, 100}) == "131 of 431 samples, 2 failed, 5:00 left");
  CHECK(report::progress({1, 0, 431, 1, 1}) == "1 of 431 samples");
}
