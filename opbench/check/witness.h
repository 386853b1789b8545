#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "opbench/check/correctness_check.h"
#include "runtime/device.h"

namespace opbench {

/// Looks at the results of runs on the same data, one after the other. A result with the same bits as a right one is right; any
/// other is judged. One wrong run among many is so found at the cost of a sum over each result.
class Witness {
 public:
  Witness(const runtime::Trial& trial, const CorrectnessCheck& correctness) : trial_(trial), correctness_(correctness) {}

  /// Looks at the latest run of the trial. Returns why its result is wrong; nothing where it is right.
  std::string look();
  /// Why a result that tolerances allow is wrong all the same: a few runs in many gave other bits, and are far worse than the
  /// others.
  std::string conclusion() const;
  /// Whether right results of several bits were seen.
  bool varies() const { return others_ > 0; }

 private:
  const runtime::Trial& trial_;
  const CorrectnessCheck& correctness_;
  std::vector<int64_t> usual_;        ///< the sums of the first result
  std::optional<Accuracy> accuracy_;  ///< how right it is
  std::string odd_;                   ///< what is far worse, though within tolerance
  int64_t looks_ = 0;
  int others_ = 0;  ///< results of other bits that are right
};

/// Has a trial make up to a thousand more runs, and looks at each: on a quiet device, beside others that work on it
/// (runtime::Crowd), and on a CPU from another thread. Returns why one is wrong.
std::string keepVigil(runtime::Trial& trial, Witness& witness, const runtime::Workload& workload, const runtime::Device& device);

}  // namespace opbench
