#pragma once

#include <cstddef>
#include <vector>

#include "opbench/results/read.h"

namespace opbench::compare {

/// The deviations of single runs of the program from their median: logarithms, without runs that found no figure.
struct Deviations {
  std::vector<double> time;    ///< of the time
  std::vector<double> paired;  ///< of the time over the control's
};

/// Runs of the program by one build as one. Each figure of a record is the median over the runs; what a run shows to be wrong, or
/// to fail, is that.
struct Pool {
  results::Results results;
  std::vector<Deviations> deviations;  ///< by record; none of a single run
  size_t runs = 0;
};

/// Pools at least one run.
Pool poolOf(std::vector<results::Results> runs);

/// The standard deviation, as a logarithm, by which the figures of two pools of the same code differ, where single runs deviate
/// from their median by `deviation`.
double scatterOfPools(double deviation, size_t runs, size_t otherRuns);

/// The standard deviation of single runs, from their deviations in both pools; 0 where they are too few to tell.
double deviationOf(const std::vector<double>& base, const std::vector<double>& candidate);

}  // namespace opbench::compare
