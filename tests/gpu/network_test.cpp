// Networks on a GPU: eager, and whole steps in CUDA graphs.
#include <doctest/doctest.h>

#include "opbench/check/correctness_check.h"
#include "runtime/callable.h"
#include "runtime/workload.h"
#include "tests/gpu/gpu.h"
#include "tests/runtime/sample.h"

TEST_CASE("ways to compute a recurrent network agree with float64: outputs, states and gradients, in a CUDA graph as well") {
  for (const char* network : {"rnn.lstm.training", "rnn.gru.training"}) {
    const inputs::Sample sample = tests::sample(network, "((T([7, 3, 16], f32),), {'hidden': 24, 'layers': 2})");
    const auto workload = runtime::makeWorkload(sample, tests::gpu(), 1, {});
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
