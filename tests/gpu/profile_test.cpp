// Profiles of a GPU: what CUPTI says of a run, in the trace that it is read from.
#include <doctest/doctest.h>

#include "codegen/compile.h"
#include "opbench/measure/profile.h"
#include "opbench/profile/summary.h"
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
