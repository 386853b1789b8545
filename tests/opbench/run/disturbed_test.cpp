// Samples raced on a device that other programs disturb.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <utility>

#include "opbench/report/summary.h"
#include "opbench/results/write.h"
#include "opbench/run/pipeline.h"
#include "runtime/decorators.h"
#include "runtime/devices/open.h"

using namespace opbench;
using runtime::Measure;

namespace {

/// A trial whose times by one measure are others by a factor. They are below 0 where what they are the difference of is
/// disturbed.
class DisturbedTrial : public runtime::TrialDecorator {
 public:
  DisturbedTrial(std::unique_ptr<runtime::Trial> trial, Measure measure, double factor)
      : TrialDecorator(std::move(trial)), disturbed_(measure), factor_(factor) {}

  void queue(Measure measure) override {
    measure_ = measure;
    TrialDecorator::queue(measure);
  }
  void collect(std::vector<double>& seconds) override {
    std::vector<double> times;
    TrialDecorator::collect(times);
    for (const double time : times) seconds.push_back(measure_ == disturbed_ ? factor_ * time : time);
  }

 private:
  Measure disturbed_, measure_ = Measure::Cold;
  double factor_;
};

/// The CPU, whose times of the first generated kernel by one measure are others by a factor.
class DisturbedDevice : public runtime::DeviceDecorator {
 public:
  DisturbedDevice(Measure measure, double factor)
      : DeviceDecorator(runtime::openDevice("cpu", 1)), measure_(measure), factor_(factor) {}

  std::unique_ptr<runtime::Trial> prepare(runtime::Callable& callable, runtime::Workload& call) override {
    std::unique_ptr<runtime::Trial> trial = DeviceDecorator::prepare(callable, call);
    if (callable.kind != runtime::Kind::Generated || std::exchange(isUsed_, true)) return trial;
    return std::make_unique<DisturbedTrial>(std::move(trial), measure_, factor_);
  }

 private:
  Measure measure_;
  double factor_;
  bool isUsed_ = false;
};

struct Raced {
  Run run;
  Row row;
};

/// One sample of so many numbers, raced with ceilings that were measured before.
Raced racedWith(Measure disturbed, double factor, int numbers, const Ceilings& ceilings) {
  DisturbedDevice device(disturbed, factor);
  RaceSettings options;
  options.repeats = 1;
  Raced raced;
  raced.run.contenders = options.contenders;
  raced.run.ceilings = ceilings;
  raced.run.device = "cpu";
  const runtime::Cache cache;
  const std::string text = fmt::format("Operator: aten.neg.default\ncnt: 1, ((T([{}], f32),), {{}})\n", numbers);
  const inputs::Samples read = inputs::parseFile(text, "a.txt", "");
  raced.row = raceSample(read.samples.at(0), 1, Bench{options, raced.run, device, cache, nullptr});
  return raced;
}

Raced racedBelowZero(Measure disturbed) { return racedWith(disturbed, -1, 64, {}); }

/// As a machine has them that is far too busy to measure them.
constexpr Ceilings tooLow{.copy = 1e6, .read = 1e6, .flops = 1e6, .launchOverhead = 1e-3};

}  // namespace

TEST_CASE("a secondary time that is not more than 0 is not measured, by any contender, and the row says why") {
  const auto [run, row] = racedBelowZero(secondaryMeasure({}));
  for (const Outcome& outcome : row.outcomes) {
    CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
    CHECK(outcome.timing);
    CHECK_FALSE(outcome.secondary);
  }
  CHECK(row.outcomes[1].speedup.value_or(0) > 0);
  CHECK(row.notMeasured == "cold: not surely more than 0, as something disturbs the device");
  const std::string lines = results::jsonLines(row, run);
  CHECK(lines.find(R"("cold_us":null,"cold_low_us":null,"cold_high_us":null,"cold_speedup":null)") != std::string::npos);
  CHECK(lines.find(R"("not_measured":"cold: not surely more than 0, as something disturbs the device")") != std::string::npos);
  const ContenderSummary total = summarize({row}, run).total.contenders[1];
  CHECK(total.computing.samples == 1);
  CHECK(total.secondary.samples == 0);
  CHECK(total.disturbed == 1);
}

TEST_CASE("where the main time is not measured there is no speedup, and the sample has not failed") {
  const auto [run, row] = racedBelowZero(mainMeasure({}));
  for (const Outcome& outcome : row.outcomes) {
    CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
    CHECK_FALSE(outcome.timing);
    CHECK_FALSE(outcome.speedup);
    CHECK(outcome.secondary);
  }
  CHECK(row.notMeasured == "hot: not surely more than 0, as something disturbs the device");
}

TEST_CASE("ceilings that were measured on a busy machine are measured again, and cost no sample") {
  const auto [run, row] = racedWith(Measure::Cold, 1, 1 << 20, tooLow);
  for (const Outcome& outcome : row.outcomes) {
    CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
    CHECK(outcome.ofRoofline.value_or(0) <= 1);
  }
  CHECK(run.ceilings.read > tooLow.read);
  CHECK(run.ceilings.copy > tooLow.copy);
  CHECK(row.ceilingsRaised.starts_with("copy 0.0 to "));
  CHECK(results::jsonLines(row, run).find(R"("ceilings_raised":"copy 0.0 to )") != std::string::npos);
}

TEST_CASE("a kernel that does nothing is impossible, though the ceilings are measured again") {
  const auto [run, row] = racedWith(Measure::Cold, 1e-6, 1 << 20, tooLow);
  CHECK(row.outcomes[0].status == Status::Ok);
  CHECK(row.outcomes[1].status == Status::Impossible);
  CHECK_FALSE(row.outcomes[1].timing);
  CHECK(hasFailed(row));
}
