// Every candidate that --tune may pick is right on the GPU.
#include <doctest/doctest.h>

#include "opbench/check/correctness_check.h"
#include "opbench/measure/tune.h"
#include "runtime/workloads/call.h"
#include "tests/gpu/gpu.h"
#include "tests/runtime/sample.h"

using namespace opbench;

namespace {

void checkCandidates(const std::string& op, const std::string& text) {
  CAPTURE(op);
  CAPTURE(text);
  runtime::Call call(tests::sample(op, text), tests::gpu(), 7);
  CorrectnessCheck correctness(call, op, Tolerances::standard());
  correctness.begin(7, {});
  int tried = 0;
  const Check isWrong = [&](runtime::Trial& trial) {
    ++tried;
    return correctness.judge(trial).message;
  };
  RaceSettings options;
  options.repeats = 1;
  Run run;
  run.device = "cuda:0";
  const runtime::Cache cache;
  runtime::Tunings tunings;
  codegen::Plan plan = codegen::compile(call.graph(correctness.reference().eager), tests::gpu().target());
  const Tuning tuning = tune(plan, call, isWrong, {options, run, tests::gpu(), cache, &tunings});
  for (const std::string& refused : tuning.refused)
    if (refused.find("times as long") == std::string::npos) FAIL_CHECK(refused);  // slow ones do not race, and are no fault
  CHECK(tried > 1);
}

}  // namespace

TEST_CASE("rows: short, odd, long, and split over clusters or the grid") {
  for (const char* type :
       {"T([4096, 40], f16)", "T([512, 1003], f32)", "T([512, 768], f16)", "T([64, 50257], f16)", "T([4, 262144], f32)"})
    checkCandidates("aten._softmax.default", std::string("((") + type + ", -1, False), {})");
  checkCandidates("aten.sum.default", "((T([3000001], f32),), {})");
}

TEST_CASE("rows of many runs, in planes that are whole vectors and odd ones") {
  for (const char* type : {"T([8, 32, 28, 28], f16)", "T([8, 32, 7, 7], f16)"})
    checkCandidates("aten.native_batch_norm.default", std::string("((") + type +
                                                          ", T([32], f32), T([32], f32), T([32], f32), T([32], f32), True, 0.1, "
                                                          "1e-05), {})");
}

TEST_CASE("columns: few and long, many, and short") {
  for (const char* type : {"T([4096, 96], f16)", "T([200, 3000], f32)", "T([8, 5000], f32)"})
    checkCandidates("aten.sum.dim_IntList", std::string("((") + type + ", [0]), {})");
}

TEST_CASE("columns of tall matrices, alone and with rows: partial results, and atomic sums") {
  checkCandidates("aten.sum.dim_IntList", "((T([70000, 64], f16), [0]), {})");
  checkCandidates("aten.native_layer_norm_backward.default",
                  "((T([16384, 768], f16), T([16384, 768], f16), [768], T([16384, 1], f32), T([16384, 1], f32), T([768], f16), "
                  "T([768], f16), [True, True, True]), {})");
}

TEST_CASE("elements: whole vectors, and rows that are none") {
  checkCandidates("aten.add.Tensor", "((T([64, 4096], f16), T([64, 4096], f16)), {})");
  checkCandidates("aten.add.Tensor", "((T([64, 131], f16), T([131], f16)), {})");
}

TEST_CASE("tensors that run along different axes: whole tiles, odd sizes, images, and bytes") {
  checkCandidates("aten.add.Tensor", "((T([512, 1024], f16), T([512, 1024], f16, stride=(1, 512))), {})");
  checkCandidates("aten.add.Tensor", "((T([401, 403], f16), T([401, 403], f16, stride=(1, 401))), {})");
  checkCandidates("aten.mul.Tensor", "((T([4, 64, 28, 28], f32), T([4, 64, 28, 28], f32, stride=(50176, 1, 1792, 64))), {})");
  checkCandidates("aten.bitwise_and.Tensor", "((T([1024, 512], i8), T([1024, 512], i8, stride=(1, 1024))), {})");
}
