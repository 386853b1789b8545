#include <doctest/doctest.h>
#include <fmt/format.h>

#include "opbench/report/networks/memory_trace.h"
#include "opbench/report/networks/models.h"
#include "opbench/results/sample_result.h"
#include "opbench/results/write.h"
#include "opbench/run/derive.h"

using namespace opbench;
using runtime::Contender;

namespace {

/// A row of a model of 100 million operations, timed, with a trace of its memory.
Row measuredRow() {
  Row row;
  row.op = "model.mlp.training";
  row.sample = "((T([4, 8], f32),), {})";
  row.brief = "f32[4,8]";
  row.outcomes.resize(2);
  row.outcomes[1].contender = Contender("graph");
  for (Outcome& outcome : row.outcomes) {
    outcome.timing.emplace().median = 1e-3;
    outcome.timing->interval = Interval{1e-3, 1e-3};
  }
  row.outcomes[1].timing->median = 0.5e-3;
  row.products = {{"float32", 60'000'000, 0.2e12}, {"tf32", 40'000'000, 0.4e12}};
  row.memoryTrace = {{"(operands)", 2'000'000, 2'000'000, 2'000'000}, {"first", 3'000'000, 5'000'000, 6'500'000}};
  for (int i = 0; i < 10; ++i) row.memoryTrace.push_back({fmt::format("layer.{}", i), 100'000 - i, 6'000'000, 6'000'000});
  row.memoryTrace.push_back({"(backward)", -1'000'000, 4'999'955, 7'000'000});
  return row;
}

}  // namespace

TEST_SUITE("models") {
  TEST_CASE("operations a second are those of a row over its time, and share of the peak is their least time over it") {
    Row row = measuredRow();
    derive(row, Run());
    CHECK(row.outcomes[0].flopsPerSecond.value() == doctest::Approx(100e9));
    CHECK(row.outcomes[0].ofPeak.value() == doctest::Approx(0.4));  // 0.3 ms and 0.1 ms of 1 ms
    CHECK(row.outcomes[1].ofPeak.value() == doctest::Approx(0.8));
    row.products[0].peak = 0;
    Row unknown = row;
    unknown.outcomes[0].ofPeak.reset();
    derive(unknown, Run());
    CHECK_FALSE(unknown.outcomes[0].ofPeak);
  }

  TEST_CASE("products and traces are read as they were written, and lines without them are read as well") {
    Row row = measuredRow();
    Run run;
    run.device = "cuda:0";
    run.dtype = "float32";
    derive(row, run);
    const std::string lines = results::jsonLines(row, run);
    CHECK(lines.find("\"flops\":100000000.0,") != std::string::npos);
    const results::SampleResult result = results::sampleResultOf(lines, "r.jsonl", 1);
    CHECK(results::jsonLines(result.row, result.run) == lines);
    CHECK((result.row.products == row.products));
    CHECK((result.row.memoryTrace == row.memoryTrace));
    CHECK(result.row.flops == 0);
    const report::Layout layout;
    CHECK(report::memoryTrace(result.row, layout) == report::memoryTrace(row, layout));
    row.products = {};
    row.memoryTrace = {};
    CHECK(results::sampleResultOf(results::jsonLines(row, run), "r.jsonl", 1).row.products.empty());
  }

  TEST_CASE("the table of memory has the ten parts that add the most, the others, and all") {
    const report::Layout layout;
    CHECK(report::memoryTrace(Row(), layout) == "");
    const std::string text = report::memoryTrace(measuredRow(), layout);
    CHECK(text.find("memory of model.mlp.training of f32[4,8], eager, in MB of 10^6 bytes\n") != std::string::npos);
    const size_t first = text.find("first "), operands = text.find("(operands) "), last = text.find("layer.7 ");
    CHECK(first < operands);
    CHECK(operands < last);
    CHECK(text.find("layer.8 ") == std::string::npos);
    CHECK(text.find("3 others") != std::string::npos);
    const std::string whole = report::memoryTrace(measuredRow(), layout, true);
    CHECK(whole.find("layer.8 ") != std::string::npos);
    CHECK(whole.find("others") == std::string::npos);
    const std::string total = text.substr(text.find("total"));
    CHECK(total.find("5.000") != std::string::npos);
    CHECK(total.find("7.000") != std::string::npos);
  }

  TEST_CASE("a row says which fences its program ran without, where there were not all") {
    Row row = measuredRow();
    Run run;
    run.device = "cpu";
    run.dtype = "float32";
    CHECK(results::jsonLines(row, run).find("not_fenced") == std::string::npos);
    CHECK(report::modelTable({row}, run, {}).find("ran without") == std::string::npos);
    row.notFenced = "Landlock";
    const std::string lines = results::jsonLines(row, run);
    CHECK(lines.find(R"("not_fenced":"Landlock")") != std::string::npos);
    CHECK(results::sampleResultOf(lines, "r.jsonl", 1).row.notFenced == "Landlock");
    CHECK(report::modelTable({row}, run, {}).find("ran without Landlock\n") != std::string::npos);
  }

  TEST_CASE("Hugging Face's tables and files have its columns") {
    Row row;
    row.op = "model.bert_base.inference";
    row.sample = "((T([2, 8], i64),), {})";
    row.outcomes.resize(2);
    row.outcomes[0].timing.emplace();
    row.outcomes[0].timing->rounds = std::vector<double>(20, 0.0125);
    row.outcomes[0].memory = runtime::MemoryPeaks{0, {}, {}, {}, 300 << 20};
    row.outcomes[1].contender = Contender("graph");
    row.outcomes[1].status = Status::Oom;
    row.outcomes[1].reason = "out of memory";
    Run run;
    run.device = "cpu";
    const std::string tables = report::huggingFaceTables({row}, run);
    CHECK(tables.find("====================       INFERENCE - SPEED - RESULT       ====================") != std::string::npos);
    CHECK(tables.find("          bert_base                  2              8            0.013     \n") != std::string::npos);
    CHECK(tables.find("N/A (oom: out of memory)") != std::string::npos);
    CHECK(tables.find("TRAIN") == std::string::npos);
    CHECK(report::huggingFaceCsv({row}, run, report::HuggingFaceFile::InferenceTime) ==
          "model,batch_size,sequence_length,result\nbert_base,2,8,0.0125\n");
    CHECK(report::huggingFaceCsv({row}, run, report::HuggingFaceFile::InferenceMemory) ==
          "model,batch_size,sequence_length,result\nbert_base,2,8,300\n");
  }
}
