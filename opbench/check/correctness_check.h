#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inputs/data/distribution.h"
#include "opbench/check/chance.h"
#include "opbench/check/reference.h"
#include "runtime/device.h"

namespace opbench {

/// The criterion by which results are judged: the operator's own, or, for a region, the criterion of all its calls together.
Criterion criterionOf(runtime::Workload& workload, const std::string& op, const Tolerances& tolerances);

/// Checks the results of one workload's contenders, on its data and on harder data, and the results of the last timed run.
class CorrectnessCheck {
 public:
  CorrectnessCheck(runtime::Workload& workload, const std::string& op, const Tolerances& tolerances)
      : CorrectnessCheck(workload, criterionOf(workload, op, tolerances), tolerances) {}
  CorrectnessCheck(runtime::Workload& workload, Criterion criterion, const Tolerances& tolerances)
      : workload_(workload), criterion_(std::move(criterion)), tolerances_(tolerances) {}

  /// Computes the reference of the workload's data, which were drawn from `seed` and `data`. Where a trivial solution would pass,
  /// it draws other data: larger, smaller, positive and around different levels, in this order. Where one passes on all of them,
  /// trivialSolution() names it, and says why if no data can be otherwise.
  void begin(uint64_t seed, const inputs::Data& data);
  /// Draws the next set of data, from another seed, and computes its reference: what was computed before is wrong from then on.
  /// After normal data these are far from zero, then of all magnitudes, then have special values among them, drawn as often as
  /// rows take (runtime::Workload::turnsOfRows); after any others more of the same. False where there are no more.
  bool drawNext();
  /// Draws the first data again, from a seed of the system's entropy.
  void drawUnforeseen();
  /// Draws the first data again, from another seed, for runs that are timed.
  void drawToTime();

  /// Says which arguments were written that the operator only reads, and draws them again; nothing where none was.
  std::string overwritten() const;
  /// Runs a trial and judges what it wrote, and where. One that draws random numbers runs twice, and must not draw the same.
  /// The message names the data where they are not the first ones.
  Verdict judge(runtime::Trial& trial) const;
  /// Has a trial make a run like its timed runs (runtime::Trial::audit), and judges it. A run that draws random numbers begins
  /// anew.
  Verdict audit(runtime::Trial& trial, runtime::Measure measure, std::optional<int> capture = std::nullopt) const;
  /// Makes sure that a later judgeLatest() sees what was written in between.
  static void forget(runtime::Trial& trial);
  /// Judges the outputs of the latest run, timed or not.
  Verdict judgeLatest(const runtime::Trial& trial) const { return judgedOrByChance(trial, trial.outputs()); }
  /// Two runs; nothing for results that are unwritten, or may vary.
  std::optional<Determinism> determinism(runtime::Trial& trial) const;

  const Reference& reference() const { return reference_; }
  /// The data at hand.
  const inputs::Data& drawn() const { return drawn_.second; }
  /// The first data.
  const inputs::Data& data() const { return data_; }
  /// The trivial solution that passes on these data; empty where none does.
  const std::string& trivialSolution() const { return trivialSolution_; }

 private:
  /// Results on the data at hand that are right: the same bits are right again.
  struct Right {
    runtime::TensorList outputs;
    bool isTf32 = false, anyStrides = false;
    Verdict verdict;
  };

  void draw(uint64_t seed, const inputs::Data& data);
  /// Computes the reference of the data that were drawn.
  void setReference();
  Verdict run(runtime::Trial& trial) const;
  Verdict judged(const runtime::Trial& trial, const runtime::TensorList& outputs) const;
  void keepRight(Right right) const;
  Verdict amongRuns(const runtime::TensorList& found, const Criterion& criterion, const Verdict& verdict) const;
  Verdict besideContiguous(const runtime::TensorList& found, const Criterion& criterion, Verdict verdict) const;
  Verdict judgedOrByChance(const runtime::Trial& trial, const runtime::TensorList& outputs) const;
  /// Whether a trial's numbers are others than eager's, so that its results are judged by their size.
  bool drawsOthers(const runtime::Trial& trial) const { return workload_.drawsDiffer() || trial.withEagersDraws; }
  /// Judges a trial that draws others without chance, or by its twin that draws eager's.
  Verdict judgedWithoutChance(runtime::Trial& trial) const;
  Verdict judgedByChance(const runtime::TensorList& outputs) const;

  runtime::Workload& workload_;
  Criterion criterion_;
  const Tolerances& tolerances_;
  Reference reference_;
  mutable std::vector<runtime::TensorList> nearby_;  ///< nearbyRuns() of the data at hand, once something seemed wrong on them
  mutable std::vector<std::vector<double>> chance_;  ///< sizes of eager's runs that draw anew, once something draws otherwise
  mutable std::vector<Right> right_;                 ///< the latest
  std::vector<int64_t> sums_;                        ///< of the arguments that are only read
  std::pair<uint64_t, inputs::Data> drawn_;          ///< the seed and the distribution of the data at hand
  uint64_t seed_ = 0;
  inputs::Data data_;
  bool isUnforeseen_ = false;       ///< whether the data at hand are of a seed that nobody chose
  std::vector<inputs::Data> next_;  ///< sets that are still to come, the last one first
  std::string trivialSolution_;
};

}  // namespace opbench
