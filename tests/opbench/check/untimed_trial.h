#pragma once

#include "runtime/device.h"

namespace tests {

/// A trial whose runs are made by a test and looked at, and never timed.
class UntimedTrial : public runtime::Trial {
 public:
  runtime::TensorList outputs() const override { return latest_; }
  bool prepareFor(runtime::Measure) override { return false; }
  runtime::TensorList audit(runtime::Measure, std::optional<int>) override { return run(); }
  void replay() override { run(); }
  void queue(runtime::Measure) override {}
  void collect(std::vector<double>&) override {}

 protected:
  runtime::TensorList latest_;
};

}  // namespace tests
