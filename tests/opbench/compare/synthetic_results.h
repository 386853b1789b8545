#pragma once

#include <functional>
#include <string>

#include "opbench/results/read.h"

namespace tests {

/// A made-up run of eager and opbench over `samples` samples, with the noise that real ones have.
struct SyntheticRun {
  int samples = 1000;
  uint64_t process = 1;  ///< names the process: its noise, and where its kernels happened to lie in memory
  double slowdown = 1;   ///< of opbench's code
  double machine = 1;    ///< how much slower the machine is, for every contender
  double clockMhz = 1980;
  std::string device = "cuda:0";
  double processScatter = 0;  ///< standard deviation of a share by which a process moves each kernel, however long it takes
  double slowPhases =
      0;  ///< the share of samples that the machine is slower for, by 15 to 35 %, more for one contender than for another
  std::function<double(int index)> disturbance = [](int) { return 1.0; };  ///< of single samples, for every contender
};

/// What it would write as JSON lines. Kernels take 2 to 500 us, half of them less than 32. A run's times scatter by 1 %; a
/// process moves kernels of less than 10 us by up to 0.75 % either way, each by its own amount, so that two processes lie up
/// to 1.5 % apart. Samples of less than 2.2 us are bound by launch overhead, which no slowdown shifts.
std::string syntheticLines(const SyntheticRun& run);

opbench::results::Results syntheticResults(const SyntheticRun& run);

}  // namespace tests
