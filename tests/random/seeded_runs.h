#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <optional>

namespace tests {

/// How long a program goes on that tries one seed after another: `--runs N`, or `--seconds N`, which is 60 without either; from
/// `--seed S` on.
class SeededRuns {
 public:
  explicit SeededRuns(CLI::App& options) {
    options.add_option("--seed", seed_);
    options.add_option("--seconds", seconds_)->excludes(options.add_option("--runs", runs_));
  }

  /// The seed of a run, from 0.
  uint64_t seed(uint64_t run) const { return seed_ + run; }
  /// Whether there is another run after so many; the time is that since the first question.
  bool goOn(uint64_t done) {
    if (runs_) return done < *runs_;
    if (done == 0) start_ = std::chrono::steady_clock::now();
    return std::chrono::steady_clock::now() - start_ < std::chrono::seconds(seconds_);
  }

 private:
  uint64_t seed_ = 1, seconds_ = 60;
  std::optional<uint64_t> runs_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace tests
