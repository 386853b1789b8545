// Profiles of a GPU: what CUPTI says of a run, in the trace that it is read from.
#include <doctest/doctest.h>

#include "codegen/compile.h"
#include "opbench/measure/profile.h"
#include "opbench/profile/summary.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/call.h"
#include "tests/gpu/gpu.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/runtime/sample.h"

TEST_CASE("a profile names the kernels of a CUDA graph, once for each replay") {
  const tests::TemporaryFolder folder;
  runtime::Call call(tests::sample("aten.add.Tensor", "((T([64, 131], f16), T([131], f16)), {})"), tests::gpu(), 7);
  const codegen::Plan plan = codegen::compile(call.graph(call.runEager()), tests::gpu().target());
  const runtime::Cache none;
  const auto callable = runtime::plannedCallable(call, plan, tests::gpu(), none);
  const auto trial = tests::gpu().prepare(*callable, call);
  opbench::ProfileSettings settings;
  settings.loops = 4;
  const std::string path = folder.path / "trace.json";
  opbench::recordProfile({{"opbench", trial.get()}}, {"aten.add.Tensor", "", 1000, 0}, path, call, tests::gpu(), settings);
  const auto profiles = opbench::profile::profilesOf(opbench::profile::readTrace(path));
  REQUIRE(profiles.size() == 1);
  CHECK(profiles[0].isOnGpu);
  CHECK(profiles[0].runs == 4);
  REQUIRE(profiles[0].spent.size() == 1);
  CHECK(profiles[0].spent[0].name == "aten_add_Tensor");
  CHECK(profiles[0].spent[0].calls == 4);
  CHECK(profiles[0].spent[0].registers.value_or(0) > 0);
  CHECK(profiles[0].kernelSeconds < profiles[0].seconds);
}

TEST_CASE("counters say of each kernel what it reads from memory: all of its operands in a cold run, though L2 could hold them") {
  runtime::Call call(tests::sample("aten.add.Tensor", "((T([1024, 4096], f16), T([1024, 4096], f16)), {})"), tests::gpu(), 7);
  const codegen::Plan plan = codegen::compile(call.graph(call.runEager()), tests::gpu().target());
  const runtime::Cache none;
  const auto callable = runtime::plannedCallable(call, plan, tests::gpu(), none);
  const auto trial = tests::gpu().prepare(*callable, call);
  for (int time = 0; time < 2; ++time) {  // after a profile by torch as well, and after themselves
    const runtime::Counters counters = trial->counters();
    if (!counters.missing.empty()) {
      MESSAGE("this machine gives no counters: ", counters.missing);
      return;
    }
    REQUIRE(counters.kernels.size() == 1);
    const runtime::KernelCounters& kernel = counters.kernels[0];
    CHECK(kernel.kernel == "aten_add_Tensor");
    constexpr double operands = 2 * 1024 * 4096 * 2;
    CHECK(kernel.bytesRead > 0.95 * operands);
    CHECK(kernel.bytesRead < 1.5 * operands);
    CHECK(kernel.tensorActive == 0);
    CHECK(kernel.issueActive > 0.01);
    CHECK(kernel.issueActive < 1);
    CHECK(!kernel.stall.empty());
    CHECK(kernel.stallShare > 0.1);
    CHECK(kernel.stallShare <= 1);
    CHECK(trial->kernelTime().has_value());
  }
  CHECK(trial->run().state().tensors.size() == 1);
}
