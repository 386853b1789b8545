#pragma once

#include <optional>
#include <string>

#include "inputs/data/distribution.h"
#include "opbench/check/check.h"
#include "runtime/device.h"

namespace opbench {

/// Examines the contenders of one call: on its data, on other data, and on what was timed last.
class Examination {
 public:
  Examination(runtime::Call& call, const std::string& op, const Tolerances& tolerances)
      : call_(call), criterion_(tolerances.criterionFor(op)), tolerances_(tolerances) {}

  /// Computes the truth of the call's data, which were drawn from `seed` and `data`. Where results that take no work would pass,
  /// draws others, larger, smaller, positive and around different levels, in this order; where those pass with all of them,
  /// vacuous() says so, and why if no data can be otherwise.
  void begin(uint64_t seed, const inputs::Data& data);
  /// Draws the call's arguments from another seed and computes their truth: what was computed before is wrong from then on.
  void drawAgain();

  /// Runs a trial and judges what it wrote, and where.
  Verdict judge(runtime::Trial& trial) const;
  /// Makes sure that a later judgeLatest() sees what was written in between.
  static void forget(runtime::Trial& trial);
  /// Judges the outputs of the latest run, timed or not.
  Verdict judgeLatest(const runtime::Trial& trial) const { return judged(trial.outputs()); }
  /// Whether two runs give the same bits; nothing for results that are random, unwritten, or may vary.
  std::optional<bool> isDeterministic(runtime::Trial& trial) const;

  const Truth& truth() const { return truth_; }
  const inputs::Data& data() const { return data_; }
  /// Why nothing can be said on these data, or nothing.
  const std::string& vacuous() const { return vacuous_; }

 private:
  void draw(uint64_t seed, const inputs::Data& data);
  Verdict judged(const runtime::TensorList& outputs) const;

  runtime::Call& call_;
  Criterion criterion_;
  const Tolerances& tolerances_;
  Truth truth_;
  uint64_t seed_ = 0;
  inputs::Data data_;
  std::string vacuous_;
};

}  // namespace opbench
