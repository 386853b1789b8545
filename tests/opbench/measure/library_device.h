#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "tests/opbench/fake_trial.h"

namespace tests {

using Seconds = std::function<double(const std::string& library, int run)>;

/// A GPU whose times are made up, by library.
class LibraryDevice : public FakeGpu {
 public:
  explicit LibraryDevice(Seconds seconds) : seconds_(std::move(seconds)) {}

  std::unique_ptr<runtime::Trial> prepare(runtime::Callable& callable, runtime::Workload&) override {
    seconds_(callable.library, 0);
    return std::make_unique<FakeTrial>(callable.library,
                                       [this, library = callable.library](int) { return seconds_(library, runs[library]++); });
  }

  std::map<std::string, int> runs;  ///< by library

 private:
  Seconds seconds_;
};

}  // namespace tests
