#include "opbench/measure/tune.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <concepts>
#include <functional>
#include <map>

#include "ir/error.h"
#include "runtime/callable.h"
#include "runtime/workloads/call.h"
#include "tests/cache_settings.h"
#include "tests/opbench/fake_trial.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/runtime/sample.h"
#include "tests/targets.h"

using namespace opbench;

namespace {

class FakeExecutable : public runtime::Executable {
  void launch(void* const*) const override {}
};

/// The time of a schedule, or of one of its runs.
struct SecondsOf {
  template <std::invocable<const std::string&> OfSchedule>
  SecondsOf(OfSchedule seconds) : of([seconds](const std::string& schedule, int) { return seconds(schedule); }) {}
  template <std::invocable<const std::string&, int> OfRun>
  SecondsOf(OfRun seconds) : of(seconds) {}
  std::function<double(const std::string&, int)> of;
};

/// A GPU whose times are made up, by schedule.
class TunedDevice : public tests::FakeGpu {
 public:
  explicit TunedDevice(SecondsOf secondsOf) : secondsOf_(std::move(secondsOf)) {}

  runtime::ExecutablePtr compile(const ir::KernelSource&, const runtime::Cache&) override {
    return std::make_shared<FakeExecutable>();
  }
  std::unique_ptr<runtime::Trial> prepare(runtime::Callable& callable, runtime::Workload&) override {
    prepared.push_back(callable.schedule);
    const double seconds = secondsOf_.of(callable.schedule, 0);
    return std::make_unique<tests::FakeTrial>(callable.schedule, [this, seconds, schedule = callable.schedule](int run) {
      ++runs[schedule];
      return run == 0 ? seconds : secondsOf_.of(schedule, run);
    });
  }

  std::vector<std::string> prepared;  ///< schedules, in order
  std::map<std::string, int> runs;    ///< by schedule

 private:
  SecondsOf secondsOf_;
};

const std::string rulesChoice = "a*4: grid a 16, thread a 128", favourite = "a*4: grid a 4, unroll a 2, thread a 256";

/// A call on the fake device, tuned: a sum of two matrices.
struct Tuned {
  explicit Tuned(
      const SecondsOf& secondsOf, const runtime::Cache& kept = runtime::Cache(),
      const Check& check = [](runtime::Trial&) { return std::string(); }, const std::string& op = "aten.add.Tensor",
      const std::string& text = "((T([64, 128], f32), T([64, 128], f32)), {})")
      : device(secondsOf), tunings(kept) {
    run.deviceName = device.name();
    runtime::Call call(tests::sample(op, text), device, 1);
    plan = codegen::compile(call.graph(call.runEager()), device.target());
    tuning = tune(plan, call, check, {options, run, device, cache, &tunings});
  }
  std::string schedule() const { return toText(*plan.schedules.at(0)); }

  TunedDevice device;
  runtime::Tunings tunings;
  runtime::Cache cache;
  Options options;
  Run run;
  codegen::Plan plan;
  Tuning tuning;
};

double favouring(const std::string& schedule) { return schedule == favourite ? 1e-3 : 1.5e-3; }

}  // namespace

TEST_CASE("the least time wins where it is beyond noise") {
  CHECK(fastest({1.0}) == 0);
  CHECK(fastest({1.0, 0.99, 1.2}) == 0);
  CHECK(fastest({1.0, 0.97, 0.9}) == 2);
}

TEST_CASE("every candidate races, the default first; the plan has the winner's kernel") {
  const Tuned tuned(favouring);
  CHECK(tuned.device.prepared.front() == rulesChoice);
  CHECK(tuned.device.prepared.size() == 10);
  CHECK(tuned.schedule() == favourite);
  CHECK(tuned.plan.kernels.at(0).launch.block == 256);
  CHECK(tuned.tuning.candidates == 10);
  CHECK(tuned.tuning.gain == doctest::Approx(1.5));
  CHECK_FALSE(tuned.tuning.isStored);
  CHECK(tuned.tuning.refused.empty());
  REQUIRE(tuned.tuning.tried.size() == 10);
  CHECK(tuned.tuning.tried[0].schedule == rulesChoice);
  CHECK(tuned.tuning.tried[0].seconds == doctest::Approx(1.5e-3));
}

TEST_CASE("loops of one call are tuned one after another, beginning with what the plan has") {
  const auto seconds = [](const std::string& schedule) { return schedule.find("hold ") != std::string::npos ? 2e-3 : 1e-3; };
  const std::string call =
      "((T([64, 128], f32), T([64, 128], f32), [128], T([64, 1], f32), T([64, 1], f32), T([128], f32), T([128], f32), "
      "[True, True, True]), {})";
  const Tuned tuned(seconds, {}, [](runtime::Trial&) { return std::string(); }, "aten.native_layer_norm_backward.default", call);
  REQUIRE(tuned.plan.schedules.size() == 2);
  // The default races once for each of the two.
  CHECK(tuned.device.prepared.size() == static_cast<size_t>(tuned.tuning.candidates) + 1);
  CHECK(tuned.tuning.gain == doctest::Approx(2));
  CHECK(toText(*tuned.plan.schedules[0]).find("hold ") == std::string::npos);
  CHECK(toText(*tuned.plan.schedules[1]).starts_with("a(0) b*"));
}

TEST_CASE("the default stands where nothing is faster beyond noise") {
  const Tuned tuned([](const std::string& schedule) { return schedule == favourite ? 0.99e-3 : 1e-3; });
  CHECK(tuned.schedule() == rulesChoice);
  CHECK(tuned.tuning.gain == 1);
}

TEST_CASE("a winner races the default once more, so that luck does not win") {
  const auto even = [](const std::string&) { return 1e-3; };
  const int runs = Tuned(even).device.runs.at(favourite);
  Tuned lucky([&](const std::string& schedule, int run) { return schedule == favourite && run < runs ? 0.5e-3 : 1e-3; });
  const auto isFast = [](const Tried& one) { return one.schedule == favourite && one.seconds < 0.6e-3; };
  CHECK(std::any_of(lucky.tuning.tried.begin(), lucky.tuning.tried.end(), isFast));
  CHECK(lucky.device.runs.at(favourite) > runs);
  CHECK(lucky.schedule() == rulesChoice);
  CHECK(lucky.tuning.gain == 1);
}

TEST_CASE("a winner is found again by the next run, which measures nothing") {
  const tests::TemporaryFolder folder;
  const runtime::Cache kept(tests::cacheIn(folder.path));
  CHECK(Tuned(favouring, kept).schedule() == favourite);
  const Tuned again([](const std::string&) { return 1e-3; }, kept);
  CHECK(again.device.prepared.empty());
  CHECK(again.schedule() == favourite);
  CHECK(again.tuning.isStored);
  CHECK(again.tuning.tried.empty());
  CHECK(again.tuning.gain == doctest::Approx(1.5));
}

TEST_CASE("a stored winner that is none of today's candidates, is measured anew") {
  const tests::TemporaryFolder folder;
  const runtime::Cache kept(tests::cacheIn(folder.path));
  const Tuned first(favouring, kept);
  const std::filesystem::path file = folder.path / "cache/tuning.jsonl";
  std::string text = tests::contentOf(file);
  REQUIRE(text.find(favourite) != std::string::npos);
  text.replace(text.find(favourite), favourite.size(), "a*4: grid a 77, thread a 99");
  std::ofstream(file) << text;
  const Tuned again(favouring, kept);
  CHECK(again.device.prepared.size() == 10);
  CHECK(again.schedule() == favourite);
  CHECK_FALSE(again.tuning.isStored);
}

TEST_CASE("candidates that fail or are wrong do not win, and say why") {
  const Tuned failing([](const std::string& schedule) {
    if (schedule == favourite) ir::fail(ir::ErrorKind::Toolchain, "too many registers\nand a log");
    return 1e-3;
  });
  CHECK(failing.schedule() == rulesChoice);
  CHECK(failing.tuning.refused == std::vector<std::string>{favourite + ": too many registers"});

  int checked = 0;
  const Tuned wrong(favouring, {}, [&](runtime::Trial&) { return ++checked == 5 ? std::string("it is wrong") : ""; });
  CHECK(wrong.schedule() == rulesChoice);
  CHECK(wrong.tuning.refused == std::vector<std::string>{favourite + ": it is wrong"});
}

TEST_CASE("where the default is wrong nothing takes its place: that is for the race to find") {
  const Tuned tuned(favouring, {}, [](runtime::Trial&) { return std::string("it is wrong"); });
  CHECK(tuned.schedule() == rulesChoice);
  CHECK(tuned.device.prepared.size() == 1);
}
