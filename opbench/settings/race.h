#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inputs/data/distribution.h"
#include "ir/dtype.h"
#include "opbench/results/contenders.h"
#include "opbench/settings/fault.h"
#include "opbench/settings/process_fault.h"
#include "opbench/settings/profile_settings.h"
#include "runtime/measures.h"

namespace opbench {

/// The form in which samples are raced, and what of them is left out.
struct SampleSettings {
  ir::DType dtype = ir::DType::F32;
  bool channelsLast = false;
  uint64_t seed = 0;
  inputs::Distribution data = inputs::Distribution::Normal;  ///< of arguments that may be anything
  std::string config;        ///< a file that says what to leave out and how much to take (suite_config.h); empty is none
  bool slow = false;         ///< whether what that file calls slow is raced
  int64_t maxBytes = 0;      ///< samples whose tensor arguments take more are skipped; 0 is no limit
  std::string modelsFolder;  ///< of the archives that come with the program; empty where none was found
  std::map<std::string, std::string> programs;  ///< files of models by name, beside these
};

/// The contenders, and what they are made of.
struct ContenderSettings {
  std::vector<Contender> contenders{Contender::Eager, Contender::Opbench};  ///< the first is the baseline
  std::vector<std::string> libraries;         ///< shared libraries that register operators, which race by their names
  std::vector<std::string> references;        ///< of operators that the libraries register, as inputs::ownOperatorOf reads them
  std::vector<std::string> kernels;           ///< files of CUDA kernels, which race as `kernel::NAME`
  std::string python;                         ///< the Python whose torch has Inductor: a file, or a name in PATH
  std::vector<std::string> inductorSettings;  ///< each `name=value`
  bool tune = false;                          ///< whether schedules are found by measuring
  std::vector<std::string> schedules;         ///< of a sample's loop nests, as texts; empty ones are left to the rules
  std::vector<std::string> without;           ///< rewrites of networks that are left out

  /// Whether this is one of the contenders, of whatever samples.
  bool races(const Contender& contender) const {
    return std::any_of(contenders.begin(), contenders.end(),
                       [&](const Contender& each) { return each.untargeted() == contender; });
  }
};

/// What is measured, and for how long.
struct MeasureSettings {
  int threads = 0;  ///< of a CPU device; 0 is ATen's choice
  int repeats = 0;  ///< rounds of a fixed length; 0 times until `precision` is reached
  /// Width of the speedup's 95 % interval at which timing ends, as a share; nothing where that is Pace's, and the A/A noise
  /// counts.
  std::optional<double> precision;
  double maxSeconds = 0.5;  ///< of timing a sample by one measure
  runtime::Flush flush = runtime::Flush::Write;
  bool counters = false;             ///< the hardware's counters of each kernel are read as well (CUDA)
  bool kernelTime = false;           ///< the kernels' own time is measured as well (CUDA)
  int64_t warmups = 10, runs = 100;  ///< of networks: runs that do not count, and runs that do
  bool tracesMemory = false;         ///< of models: which of their modules hold memory is told
  bool anyPrecision = false;         ///< times are divided by each other though one contender computes with fewer digits
  bool isAA = false;                 ///< each contender races against itself (A/A)
  bool timing = true;
  bool noMemory = false;    ///< of networks: their memory and first run are not measured
  ProfileSettings profile;  ///< of samples that are profiled, once they are checked
};

/// What results are judged by.
struct CheckSettings {
  bool accuracyChecking = true;
  std::optional<int> siblings;                     ///< of a sample, that are checked; nothing: as checkSiblings() has it
  bool checksGroups = false;                       ///< each group of a network's plan is checked by itself as well
  bool cosine = false;                             ///< networks' results are right that point where the reference does
  std::string tolerances;                          ///< a file of rules and tolerances; empty is the built-in table alone
  std::optional<Fault> fault;                      ///< a mistake to make on purpose
  std::vector<PlannedProcessFault> processFaults;  ///< and faults of the process or the device, by sample
};

/// How one sample is raced, whatever process does it: all that the layers of a race know of the command line. Workers are told
/// what of it is not as by default.
struct RaceSettings : SampleSettings, ContenderSettings, MeasureSettings, CheckSettings {
  std::string device;    ///< `cpu`, `cuda`, `cuda:N`; empty is CUDA if there is any, else CPU
  double timeout = 300;  ///< seconds that a sample may take in a worker; 0 is no limit
  std::string dump;      ///< folder of stages; empty is none
  std::string cases;     ///< folder of the cases of wrong results; empty keeps none
  std::string program;   ///< the executable
};

}  // namespace opbench
