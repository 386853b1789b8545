// Networks on a GPU: eager, and whole steps in CUDA graphs.
#include <ATen/Functions.h>
#include <doctest/doctest.h>

#include "codegen/compile_network.h"
#include "opbench/check/correctness_check.h"
#include "opbench/check/faults/fault.h"
#include "opbench/measure/device/ceilings.h"
#include "runtime/callable.h"
#include "runtime/capture/recording.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/flops/flop_count.h"
#include "runtime/program/programs.h"
#include "runtime/workload.h"
#include "runtime/workloads/make.h"
#include "tests/cache_settings.h"
#include "tests/gpu/gpu.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/runtime/program/models.h"
#include "tests/runtime/sample.h"

TEST_CASE("ways to compute a recurrent network agree with float64: outputs, states and gradients, in a CUDA graph as well") {
  for (const char* network : {"rnn.lstm.training", "rnn.gru.training"}) {
    const inputs::Sample sample = tests::sample(network, "((T([7, 3, 16], f32),), {'hidden': 24, 'layers': 2})");
    const auto workload = runtime::makeWorkload(sample, tests::gpu(), 1, {}, {});
    opbench::CorrectnessCheck correctness(*workload, sample.op, opbench::Tolerances::standard());
    correctness.begin(1, {});
    for (const char* name : {"cudnn", "aten", "jit", "py", "cudnn_graph", "aten_graph", "jit_graph"}) {
      CAPTURE(std::string(network));
      CAPTURE(std::string(name));
      const auto callable = workload->make(runtime::Contender(name));
      const auto trial = tests::gpu().prepare(*callable, *workload);
      trial->arithmetic = callable->arithmetic;
      CHECK(callable->arithmetic == (std::string(name).starts_with("cudnn") ? "tf32" : ""));
      CHECK(trial->notCaptured.empty() == std::string(name).ends_with("_graph"));
      const opbench::Verdict verdict = correctness.judge(*trial);
      CHECK_MESSAGE(verdict.ok, verdict.message);
    }
  }
}

TEST_CASE("models agree with float64 or eager, forward and in whole steps in a CUDA graph") {
  const runtime::Programs programs(tests::modelFolder(), {});
  for (const auto& [op, call] :
       {std::pair("model.squeezenet1_1.inference", "((T([2, 3, 224, 224], f32),), {})"),
        {"model.resnet18.training", "((T([4, 3, 224, 224], f32),), {'optimizer': 'adam'})"},
        {"model.resnet18.training", "((T([4, 3, 224, 224], f32),), {'amp': 'float16', 'optimizer': 'sgd'})"},
        {"model.distilbert.training", "((T([2, 64], i64),), {'loss': 'mean'})"}}) {
    CAPTURE(std::string(op));
    CAPTURE(std::string(call));
    const inputs::Sample sample = tests::sample(op, call);
    const auto workload = runtime::makeWorkload(sample, tests::gpu(), 1, {}, programs);
    opbench::CorrectnessCheck correctness(*workload, sample.op, opbench::Tolerances::standard());
    correctness.begin(1, {});
    for (const char* name : {"graph", "torchscript"}) {
      CAPTURE(std::string(name));
      const auto callable = workload->make(runtime::Contender(name));
      const auto trial = tests::gpu().prepare(*callable, *workload);
      trial->arithmetic = callable->arithmetic;
      CHECK(trial->notCaptured.empty() == (std::string(name) == "graph"));
      const opbench::Verdict verdict = correctness.judge(*trial);
      CHECK_MESSAGE(verdict.ok, verdict.message);
    }
  }
}

// Its cache has room for 16 tokens: a step from where others ended is an index out of range, which ends all work on the device.
TEST_CASE("a step of decoding is made ready, captured and run from the drawn state, though the cache is full before") {
  const runtime::Programs programs("", {{"mlp", tests::smallModelPath("decoder")}});
  const inputs::Sample sample = tests::sample("model.mlp.inference", "((T([2, 1], i64),), {})");
  const auto workload = runtime::makeWorkload(sample, tests::gpu(), 1, {}, programs);
  opbench::CorrectnessCheck correctness(*workload, sample.op, opbench::Tolerances::standard());
  correctness.begin(1, {});
  for (const char* name : {"graph", "torchscript"}) {
    CAPTURE(std::string(name));
    const auto eager = workload->make(runtime::Contender::Eager);
    for (int step = 0; step < 16; ++step) (*eager)();
    const auto callable = workload->make(runtime::Contender(name));
    for (int step = 0; step < 16; ++step) (*eager)();
    const auto trial = tests::gpu().prepare(*callable, *workload);
    CHECK(trial->notCaptured.empty() == (std::string(name) == "graph"));
    const opbench::Verdict verdict = correctness.judge(*trial);
    CHECK_MESSAGE(verdict.ok, verdict.message);
    for (int run = 0; run < 20; ++run) CHECK(trial->seconds() > 0);
    CHECK(trial->kernelTime().has_value());
  }
}

TEST_CASE("mistakes in launches that take lists of tensors, and in joined products, are found") {
  const runtime::Programs programs(tests::modelFolder(), {});
  using opbench::Fault;
  for (const auto& [op, call, faults] :
       {std::tuple("model.resnet18.training", "((T([4, 3, 224, 224], f32),), {'amp': 'float16', 'optimizer': 'adam'})",
                   std::vector{Fault::OneTensor, Fault::Neighbour}),
        {"model.distilbert.inference", "((T([2, 64], i64),), {'dtype': 'float16'})", std::vector{Fault::SwappedParts}},
        {"model.distilbert.training", "((T([2, 64], i64),), {'amp': 'float16'})", std::vector{Fault::SwappedParts}}}) {
    CAPTURE(std::string(op));
    const inputs::Sample sample = tests::sample(op, call);
    const auto workload = runtime::makeWorkload(sample, tests::gpu(), 1, {}, programs);
    const runtime::Capture capture = *workload->capture(runtime::Audit::No);
    const codegen::Plan right = codegen::compileNetwork(capture.graph, tests::gpu().target(), {runtime::drawsNumbers});
    const auto judge = [&](const codegen::Plan& plan) {
      const auto callable = runtime::networkCallable(*workload, plan, capture.constants, tests::gpu(), runtime::Cache());
      const auto trial = tests::gpu().prepare(*callable, *workload);
      opbench::CorrectnessCheck correctness(*workload, sample.op, opbench::Tolerances::standard());
      correctness.begin(1, {});
      return correctness.judge(*trial);
    };
    const opbench::Verdict verdict = judge(right);
    CHECK_MESSAGE(verdict.ok, verdict.message);
    for (const Fault fault : faults) {
      CAPTURE(std::string(opbench::name(fault)));
      codegen::Plan plan = right;
      REQUIRE(opbench::breakPlan(plan, fault, tests::gpu().target()));
      CHECK_FALSE(judge(plan).ok);
    }
  }
}

TEST_CASE("each replay of a captured training step drops out others, and a thousand steps take no more memory than ten") {
  const runtime::Programs programs(tests::modelFolder(), {});
  const inputs::Sample sample = tests::sample("model.distilbert.training", "((T([2, 32], i64),), {'loss': 'mean'})");
  const auto workload = runtime::makeWorkload(sample, tests::gpu(), 1, {}, programs);
  for (const char* name : {"eager", "graph"}) {
    CAPTURE(std::string(name));
    const auto callable = workload->make(runtime::Contender(name));
    const auto trial = tests::gpu().prepare(*callable, *workload);
    const runtime::TensorList first = runtime::clone(trial->run());
    CHECK_FALSE(runtime::bitwiseEqual(first, trial->run()));
    const auto watch = tests::gpu().watchMemory();
    const auto peaksAfter = [&](int steps) {
      for (int i = 0; i < steps; ++i) trial->run();
      tests::gpu().synchronize();
      return watch->peaks();
    };
    const runtime::MemoryPeaks early = peaksAfter(10), late = peaksAfter(1000);
    CHECK(late.reserved == early.reserved);
    CHECK(late.process == early.process);
  }
}

TEST_CASE("memory that is watched is what was allocated meanwhile, whatever lay there before") {
  const auto watch = tests::gpu().watchMemory();
  {
    const at::Tensor held = at::empty({64 << 20}, at::TensorOptions(at::kCUDA).dtype(at::kByte));
    const at::Tensor more = at::empty({32 << 20}, at::TensorOptions(at::kCUDA).dtype(at::kByte));
  }
  const runtime::MemoryPeaks peaks = watch->peaks();
  CHECK(peaks.allocated == (96 << 20));
  CHECK(peaks.reserved.value_or(0) >= peaks.allocated);
  CHECK(peaks.device.value_or(0) > peaks.allocated);
}

TEST_CASE("operations of a step are counted by the precision in which a GPU makes them") {
  const runtime::Programs programs(tests::modelFolder(), {});
  constexpr int64_t images = 2, step = 2 * images * (3 * int64_t{1'814'073'344} - 64 * 112 * 112 * 3 * 7 * 7);
  constexpr int64_t classifier = 3 * 2 * images * 512 * 1000;
  const auto countOf = [&](const char* keywords) {
    const std::string call = std::string("((T([2, 3, 224, 224], f32),), ") + keywords + ")";
    const auto workload = runtime::makeWorkload(tests::sample("model.resnet18.training", call), tests::gpu(), 1, {}, programs);
    return runtime::countFlops([&] { workload->runEager(); });
  };
  CHECK(countOf("{'amp': 'float16'}") == runtime::FlopCount{{"float16", step}});
  CHECK(countOf("{}") == runtime::FlopCount{{"float32", classifier}, {"tf32", step - classifier}});
}

TEST_CASE("attention of a GPU is counted forward and backward") {
  const runtime::Programs programs(tests::modelFolder(), {});
  const inputs::Sample sample =
      tests::sample("model.vit_b_16.training", "((T([2, 3, 224, 224], f32),), {'amp': 'float16', 'loss': 'mean'})");
  const auto workload = runtime::makeWorkload(sample, tests::gpu(), 1, {}, programs);
  const runtime::FlopCount found = runtime::countFlops([&] { workload->runEager(); });
  REQUIRE(found.contains("float16"));
  constexpr double multiplicationsOfImage = 17.56e9;  // forward, as torchvision has it
  const double forward = 2 * 2 * multiplicationsOfImage;
  CHECK(static_cast<double>(found.at("float16")) == doctest::Approx(3 * forward).epsilon(0.02));
}

TEST_CASE("rates of products are measured in each precision, and kept") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  for (const char* precision : {"float16", "bfloat16", "tf32", "float32", "float64"}) {
    CAPTURE(std::string(precision));
    CHECK(opbench::productRate(precision, tests::gpu(), cache) > 0);
    CHECK(cache.find(opbench::productRateKey(precision, tests::gpu())));
  }
}

TEST_CASE("a trace of memory ends with what operands and results take, and its peak is what a run takes at most") {
  const runtime::Programs programs(tests::modelFolder(), {});
  const inputs::Sample sample = tests::sample("model.resnet18.training", "((T([4, 3, 224, 224], f32),), {'optimizer': 'adam'})");
  const auto workload = runtime::makeWorkload(sample, tests::gpu(), 1, {}, programs);
  workload->runEager();
  int64_t most = 0, added = 0;
  {
    const auto watch = tests::gpu().watchMemory();
    for (const runtime::MemoryLine& line : workload->traceMemory(*watch)) {
      most = std::max(most, line.peak);
      added += line.added;
    }
    CHECK(most == watch->peaks().allocated + workload->operandBytes());
  }
  CHECK(added > workload->operandBytes());
  CHECK(added < most);
}
