#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "tests/targets.h"

namespace tests {

/// A trial whose times are made up; each run writes its name into a journal, so that a test sees who ran when.
class FakeTrial : public runtime::Trial {
 public:
  FakeTrial(std::string name, std::function<double(int)> secondsOfRun, std::string* journal = nullptr)
      : name_(std::move(name)), secondsOfRun_(std::move(secondsOfRun)), journal_(journal) {}

  runtime::TensorList run() override { return {}; }
  bool prepareFor(runtime::Measure) override { return true; }
  runtime::TensorList audit(runtime::Measure, std::optional<int>) override { return run(); }
  void replay() override { run(); }
  void queue(runtime::Measure) override {
    if (journal_) *journal_ += name_;
    times_.push_back(secondsOfRun_(runs_++));
  }
  void collect(std::vector<double>& seconds) override {
    seconds.insert(seconds.end(), times_.begin(), times_.end());
    times_.clear();
  }
  int captures(runtime::Measure) const override { return numberOfCaptures; }
  int runs() const { return runs_; }

  int numberOfCaptures = 1;

 private:
  std::string name_;
  std::function<double(int)> secondsOfRun_;
  std::string* journal_;
  int runs_ = 0;
  std::vector<double> times_;
};

/// A GPU that does nothing, with a clock that is made up.
class FakeGpu : public runtime::Device {
 public:
  std::string torchName() const override { return "cpu"; }
  std::string name() const override { return "Example GPU"; }
  const ir::Target& target() const override { return target_; }
  runtime::ExecutablePtr compile(const ir::KernelSource&, const runtime::Cache&) override { return nullptr; }
  std::pair<std::string, std::string> assembly(const ir::KernelSource&) override { return {}; }
  std::unique_ptr<runtime::Trial> prepare(runtime::Callable&, runtime::Workload&) override { return nullptr; }
  std::unique_ptr<runtime::MemoryWatch> watchMemory() override { return nullptr; }
  std::vector<std::pair<std::string, std::string>> facts() override { return {}; }
  std::optional<double> clock() override { return clockOfRound(round_++); }
  double ratedClock() const override { return 2e9; }
  double tick() override { return secondsOfTick; }
  int64_t interruptions() override { return interruptionsSoFar(); }

  std::function<double(int)> clockOfRound = [](int) { return 2e9; };  ///< Hz
  double secondsOfTick = 0;
  std::function<int64_t()> interruptionsSoFar = [] { return 0; };

 private:
  ir::Target target_ = hopper();
  int round_ = 0;
};

}  // namespace tests
