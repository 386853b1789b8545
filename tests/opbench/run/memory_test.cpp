#include "opbench/run/memory.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include "opbench/run/pipeline.h"
#include "opbench/select/select.h"
#include "runtime/devices/open.h"

using namespace opbench;

namespace {

inputs::Sample sampleOf(const std::string& call) {
  return inputs::parseFile("Operator: aten.add.Tensor\ncnt: 1, " + call + "\n", "a.txt", "a").samples.at(0);
}

}  // namespace

TEST_CASE("arguments take their storage, and float64 copies where results are checked") {
  RaceSettings options;
  const inputs::Sample sample = sampleOf("((T([1000, 10], f16), T([10], f16)), {})");
  CHECK(neededForArguments(sample, options) == 10010 * (2 + 8));
  options.accuracyChecking = false;
  CHECK(neededForArguments(sample, options) == 10010 * 2);
}

TEST_CASE("tensors in lists and keyword arguments count, and bytes beyond all numbers are the largest number") {
  const inputs::Sample sample = sampleOf("(([T([3], f64), T([4], f16)],), {'out': T([5], f32, stride=(2,))})");
  CHECK(inputs::tensorsOf(sample).size() == 3);
  CHECK(argumentBytes(sample) == 3 * 8 + 4 * 2 + 9 * 4);
  CHECK(isStrided(sample));
  const inputs::Sample huge = sampleOf("((T([1000000000, 1000000000], f64), T([1000000000, 1000000000], f64)), {})");
  CHECK(argumentBytes(huge) == std::numeric_limits<int64_t>::max());
}

TEST_CASE("each contender has outputs; what is written in place is there already") {
  RaceSettings options;
  ir::Graph graph;
  graph.values = {{"self", {ir::DType::F16, {100}, {1}}}, {"out0", {ir::DType::F32, {50}, {1}}}};
  graph.inputs = {0};
  graph.outputs = {0, 1};
  CHECK(neededForOutputs(graph, options) == 2 * 50 * 4 + 3 * 8 * 50);
}

TEST_CASE("what does not fit is refused before it is allocated: oom, with the estimate") {
  RaceSettings options;
  options.repeats = 1;
  const auto device = runtime::openDevice("cpu", 1);
  REQUIRE(device->memory());
  const int64_t rows = device->memory()->total / 12 / 1024 + 1;
  const runtime::Cache cache;
  Run run;
  run.contenders = options.contenders;
  run.device = "cpu";
  const Row row =
      raceSample(sampleOf(fmt::format("((T([{}, 1024], f32), 1), {{}})", rows)), 1, Bench{options, run, *device, cache});
  for (const Outcome& outcome : row.outcomes) {
    CHECK(outcome.status == Status::Oom);
    CHECK(isEstimated(outcome));
    CHECK(outcome.reason.starts_with("needs about "));
    CHECK(outcome.reason.find(" GiB, ") != std::string::npos);
  }
}
