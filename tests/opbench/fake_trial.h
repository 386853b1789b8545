#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/device.h"

namespace tests {

/// A trial whose times are made up; each run writes its name into a journal, so that a test sees who ran when.
class FakeTrial : public runtime::Trial {
 public:
  FakeTrial(std::string name, std::function<double(int)> secondsOfRun, std::string* journal = nullptr)
      : name_(std::move(name)), secondsOfRun_(std::move(secondsOfRun)), journal_(journal) {}

  runtime::TensorList run() override { return {}; }
  double seconds() override {
    if (journal_) *journal_ += name_;
    return secondsOfRun_(runs_++);
  }
  int runs() const { return runs_; }

 private:
  std::string name_;
  std::function<double(int)> secondsOfRun_;
  std::string* journal_;
  int runs_ = 0;
};

}  // namespace tests
