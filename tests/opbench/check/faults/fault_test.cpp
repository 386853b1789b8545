// Deliberately broken kernels: every one that harms a result is found out.
#include "opbench/check/faults/fault.h"

#include <set>

#include "runtime/devices/open.h"
#include "runtime/torch/infer.h"
#include "tests/faults.h"
#include "tests/opbench/fake_trial.h"
#include "tests/runtime/build/nvrtc_library.h"
#include "tests/targets.h"

using namespace opbench;

TEST_CASE("every fault that harms a result is caught") {
  const auto device = runtime::openDevice("cpu", 1);
  tests::checkFaults(*device);
}

TEST_CASE("mistakes that mild data let pass are caught by default") {
  const auto device = runtime::openDevice("cpu", 1);
  tests::checkPlantedFaults(*device);
}

TEST_CASE("for a GPU every mistake in kernels has its place, and they compile") {
  const ir::Target target = tests::hopper();
  std::set<Fault> seen;
  for (const tests::PlantedFault& planted : tests::plantedFaults) {
    if (planted.fault == Fault::UnstableSort) continue;
    CAPTURE(std::string(name(planted.fault)));
    CAPTURE(std::string(planted.in.op));
    const auto graph = runtime::inferGraph(tests::sample(planted.in.op, planted.in.call), target.backend);
    codegen::Plan plan = codegen::compile(graph.value(), target);
    CHECK(breakPlan(plan, planted.fault, target));
    if (!seen.insert(planted.fault).second || tests::nvrtc() == nullptr) continue;
    for (const ir::KernelSource& program : plan.programs) CHECK(tests::isAccepted(program));
  }
}

TEST_CASE("faults have names") {
  for (const std::string& text : faultNames()) CHECK(name(faultFromName(text).value()) == text);
  CHECK_FALSE(faultFromName("none"));
}

TEST_CASE("the slow fault reports times 5 % longer") {
  const auto slow = broken(std::make_unique<tests::FakeTrial>("t", [](int) { return 2.0; }), Fault::Slow);
  CHECK(slow->seconds() == doctest::Approx(2.1));
  std::vector<double> times{1};
  slow->queue(runtime::Measure::BackToBack);
  slow->collect(times);
  CHECK(times == std::vector<double>{1, 2.1});
}

TEST_CASE("the slow fault is raced over as many captures as what it slows") {
  auto trial = std::make_unique<tests::FakeTrial>("t", [](int) { return 2.0; });
  trial->numberOfCaptures = 16;
  CHECK(broken(std::move(trial), Fault::Slow)->captures(runtime::Measure::Cold) == 16);
}

TEST_CASE("a slow trial has the phases of the one it slows, as much longer as its runs") {
  struct PhasedTrial : tests::FakeTrial {
    using FakeTrial::FakeTrial;
    std::vector<runtime::PhaseTime> phases() const override { return {{"forward", 1.0}, {"backward", 2.0}}; }
    std::string tampering() override { return "the clock is another one"; }
  };
  const auto slow = broken(std::make_unique<PhasedTrial>("t", [](int) { return 3.0; }), Fault::Slow);
  REQUIRE(slow->phases().size() == 2);
  CHECK(slow->phases()[1].name == "backward");
  CHECK(slow->phases()[1].seconds == doctest::Approx(2.1));
  CHECK(slow->tampering() == "the clock is another one");
}
