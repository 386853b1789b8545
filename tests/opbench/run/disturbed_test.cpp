// Samples raced on a device that other programs disturb.
#include <doctest/doctest.h>

#include "opbench/report/json.h"
#include "opbench/report/summary.h"
#include "opbench/run/pipeline.h"

using namespace opbench;
using runtime::Measure;

namespace {

/// A trial whose times by one measure are disturbed so that their differences are below 0.
class DisturbedTrial : public runtime::Trial {
 public:
  DisturbedTrial(std::unique_ptr<runtime::Trial> trial, Measure measure) : trial_(std::move(trial)), disturbed_(measure) {}

  runtime::TensorList run() override { return trial_->run(); }
  runtime::TensorList outputs() const override { return trial_->outputs(); }
  bool prepareFor(Measure measure) override { return trial_->prepareFor(measure); }
  void queue(Measure measure) override {
    measure_ = measure;
    trial_->queue(measure);
  }
  void collect(std::vector<double>& seconds) override {
    std::vector<double> times;
    trial_->collect(times);
    for (const double time : times) seconds.push_back(measure_ == disturbed_ ? -time : time);
  }

 private:
  std::unique_ptr<runtime::Trial> trial_;
  Measure disturbed_, measure_ = Measure::Cold;
};

/// The CPU, whose times of generated kernels by one measure are disturbed.
class DisturbedDevice : public runtime::Device {
 public:
  explicit DisturbedDevice(Measure measure) : measure_(measure) {}

  std::string torchName() const override { return device_->torchName(); }
  std::string name() const override { return device_->name(); }
  const ir::Target& target() const override { return device_->target(); }
  runtime::ExecutablePtr compile(const codegen::Program& program, const runtime::Cache& cache) override {
    return device_->compile(program, cache);
  }
  std::pair<std::string, std::string> assembly(const codegen::Program& program) override { return device_->assembly(program); }
  std::unique_ptr<runtime::Trial> prepare(runtime::Callable& callable, runtime::Call& call) override {
    std::unique_ptr<runtime::Trial> trial = device_->prepare(callable, call);
    if (callable.kind != runtime::Kind::Generated) return trial;
    return std::make_unique<DisturbedTrial>(std::move(trial), measure_);
  }
  std::vector<std::pair<std::string, std::string>> facts() override { return device_->facts(); }

 private:
  std::unique_ptr<runtime::Device> device_ = runtime::Device::open("cpu", 1);
  Measure measure_;
};

struct Raced {
  Run run;
  Row row;
};

Raced racedWith(Measure disturbed) {
  DisturbedDevice device(disturbed);
  Options options;
  options.repeats = 1;
  Raced raced;
  raced.run.contenders = options.contenders;
  raced.run.device = "cpu";
  const runtime::Cache cache;
  const inputs::Samples read = inputs::parseFile("Operator: aten.neg.default\ncnt: 1, ((T([64], f32),), {})\n", "a.txt", "");
  raced.row = raceSample(read.samples.at(0), 1, Bench{options, raced.run, device, cache, nullptr});
  return raced;
}

}  // namespace

TEST_CASE("a secondary time that is not more than 0 is not measured, by any contender, and the row says why") {
  const auto [run, row] = racedWith(secondaryMeasure({}));
  for (const Outcome& outcome : row.outcomes) {
    CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
    CHECK(outcome.timing);
    CHECK_FALSE(outcome.secondary);
  }
  CHECK(row.outcomes[1].speedup.value_or(0) > 0);
  CHECK(row.notMeasured == "cold: not surely more than 0, as something disturbs the device");
  const std::string lines = report::jsonLines(row, run);
  CHECK(lines.find(R"("cold_us":null,"cold_low_us":null,"cold_high_us":null,"cold_speedup":null)") != std::string::npos);
  CHECK(lines.find(R"("not_measured":"cold: not surely more than 0, as something disturbs the device")") != std::string::npos);
  const ContenderSummary total = summarize({row}, run).total.contenders[1];
  CHECK(total.computing.samples == 1);
  CHECK(total.secondary.samples == 0);
  CHECK(total.disturbed == 1);
}

TEST_CASE("where the main time is not measured there is no speedup, and the sample has not failed") {
  const auto [run, row] = racedWith(mainMeasure({}));
  for (const Outcome& outcome : row.outcomes) {
    CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
    CHECK_FALSE(outcome.timing);
    CHECK_FALSE(outcome.speedup);
    CHECK(outcome.secondary);
  }
  CHECK(row.notMeasured == "hot: not surely more than 0, as something disturbs the device");
}
