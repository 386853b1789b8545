#include "opbench/report/networks/fastrnns.h"

#include <doctest/doctest.h>

#include "opbench/results/sample_result.h"
#include "opbench/results/write.h"
#include "tests/opbench/rows.h"

using namespace opbench;

namespace {

/// cudnn was timed three times, jit is wrong.
Row recurrentRow() {
  Row row;
  row.index = 1;
  row.op = "rnn.lstm.training";
  row.sample = "((T([5, 3, 4], f32),), {'hidden': 6})";
  row.outcomes.resize(2);
  row.outcomes[0].contender = Contender("cudnn");
  row.outcomes[0].timing.emplace();
  row.outcomes[0].timing->median = 3e-3;
  row.outcomes[0].timing->runs = 3;
  row.outcomes[0].timing->phases = {{"forward", {1e-3, 2e-3, 3e-3}}, {"backward", {1.5e-3, 1.5e-3, 1.5e-3}}};
  row.outcomes[1].contender = Contender("jit");
  row.outcomes[1].status = Status::Wrong;
  row.measurement.emplace().stopped = Stop::Runs;
  return row;
}

Run runOn(const char* device) {
  Run run = tests::exampleRun();
  run.device = device;
  return run;
}

}  // namespace

TEST_CASE("the table has fastrnns' columns, 16 wide, whatever stands between them") {
  const Run gpu = runOn("cuda:0");
  CHECK(report::fastrnnsHeading(recurrentRow(), " ") ==
        "Benchmarking LSTMs...\n            name          avg_fwd          std_fwd         info_fwd          avg_bwd          "
        "std_bwd         info_bwd\n");
  CHECK(
      report::fastrnnsLines(recurrentRow(), gpu, " ") ==
      "           cudnn                2                1             None              1.5                0             None\n");
  CHECK(report::fastrnnsLines(recurrentRow(), gpu, ",").starts_with("           cudnn,               2,"));
}

TEST_CASE("times are fastrnns': milliseconds on a GPU, and seconds on a CPU") {
  const Run cpu = runOn("cpu");
  CHECK(report::fastrnnsLines(recurrentRow(), cpu, " ").starts_with("           cudnn            0.002            0.001 "));
  CHECK(report::fastrnnsOss({recurrentRow()}, cpu) ==
        "{\"lstm\":{\"cudnn\":0.002},\"lstm-backward\":{\"cudnn\":0.0015000000000000002}}\n");
  CHECK(report::fastrnnsPep({recurrentRow()}, cpu).find(R"("unit":"s","value":"0.001")") != std::string::npos);
}

TEST_CASE("both JSON forms are fastrnns', without what has no time") {
  CHECK(report::fastrnnsOss({recurrentRow()}, runOn("cuda:0")) ==
        "{\"lstm\":{\"cudnn\":2.0},\"lstm-backward\":{\"cudnn\":1.5}}\n");
  const std::string pep = report::fastrnnsPep({recurrentRow()}, runOn("cuda:0"));
  CHECK(pep.starts_with(R"(Caffe2Observer {"type":"NET","metric":"lstm-cudnn","unit":"ms","value":"1"})"));
  CHECK(std::count(pep.begin(), pep.end(), '\n') == 6);
}

TEST_CASE("networks of images are a group, and what is traced has fastrnns' name") {
  Row row = recurrentRow();
  row.op = "model.resnet18.training";
  row.outcomes[0].contender = Contender::Torchscript;
  CHECK(report::fastrnnsOss({row}, runOn("cuda:0")) ==
        "{\"resnet\":{\"resnet18_jit\":2.0},\"resnet-backward\":{\"resnet18_jit\":1.5}}\n");
}

TEST_CASE("networks of several lengths have groups of their own, before the others") {
  Row variable = recurrentRow();
  variable.op = "rnn.vl_lstm.training";
  variable.outcomes[0].contender = Contender("vl_cudnn");
  CHECK(report::fastrnnsOss({variable, recurrentRow()}, runOn("cuda:0"))
            .starts_with(R"({"vl_lstm":{"vl_cudnn":2.0},"vl_lstm-backward":{)"));
}

TEST_CASE("a network's lines say how many they are, and are read as they were written") {
  const Row row = recurrentRow();
  const std::string lines = results::jsonLines(row, tests::exampleRun());
  CHECK(lines.find("\"lines\":2") != std::string::npos);
  const results::SampleResult result = results::sampleResultOf(lines, "r.jsonl", 1);
  CHECK(results::jsonLines(result.row, result.run) == lines);
  CHECK(report::fastrnnsLines(result.row, result.run, " ") == report::fastrnnsLines(row, result.run, " "));
}

TEST_CASE("lines of networks and of operators stand in one file, each with its number") {
  const std::string operators = results::jsonLines(tests::exampleRows()[0], tests::exampleRun());
  Row network = recurrentRow();
  network.index = 7;
  network.outcomes.resize(1);
  std::istringstream file(operators + results::jsonLines(network, tests::exampleRun()));
  std::vector<size_t> counts;
  results::readSampleResults(file, "r.jsonl", 0,
                             [&](const results::SampleResult& read) { counts.push_back(read.row.outcomes.size()); });
  CHECK(counts == std::vector<size_t>{2, 1});
}
