#pragma once

#include <span>

#include "opbench/check/tolerances.h"
#include "opbench/results/row.h"
#include "opbench/select/suite_config.h"
#include "opbench/settings/race.h"
#include "runtime/build/cache.h"
#include "runtime/contenders/kernels/kernel_file.h"
#include "runtime/device.h"
#include "runtime/tunings.h"

namespace opbench {

struct Compilation;
class Inductor;

/// The devices, rules and options that every sample of a run is raced with.
struct Bench {
  const RaceSettings& options;
  Run& run;  ///< whose ceilings rise where a sample is faster than they are
  runtime::Device& device;
  const runtime::Cache& cache;
  runtime::Tunings* tunings = nullptr;  ///< where schedules are to be found by measuring
  const Tolerances& tolerances = Tolerances::standard();
  const SuiteConfig& config = SuiteConfig::none();
  const Compilation* compilation = nullptr;           ///< of the sample's kernels, where they were compiled before
  int casesLeft = 1;                                  ///< of wrong results, that may be written
  Inductor* inductor = nullptr;                       ///< compiles for the contender of that name; only where that races
  int compilersOnGpu = 0;                             ///< processes of Compilers that compute on the first GPU
  std::span<const runtime::KernelFile> kernels = {};  ///< the user's kernels that race
  bool anyStrides = false;                            ///< Criterion::anyStrides
};

}  // namespace opbench
