#include "opbench/check/examination.h"

#include <array>

namespace opbench {
namespace {

using inputs::Data;
using inputs::Distribution;

/// Another stream of the generator: no seed near a user's.
uint64_t otherSeed(uint64_t seed) { return seed ^ 0x5eedf00d5eedf00dULL; }

}  // namespace

void Examination::begin(uint64_t seed, const Data& data) {
  seed_ = seed;
  data_ = data;
  truth_ = truthOf(call_);
  const std::string first = vacuity(truth_, call_, criterion_, tolerances_);
  vacuous_ = first;
  if (data.distribution != Distribution::Normal) return;  // as asked for, whatever it says
  const std::array<Data, 4> others{Data{data.distribution, 16 * data.scale}, Data{data.distribution, data.scale / 16},
                                   Data{Distribution::Positive, data.scale}, Data{Distribution::Levels, data.scale}};
  for (size_t i = 0; i < others.size() && !vacuous_.empty(); ++i) {
    draw(seed, others[i]);
    vacuous_ = vacuity(truth_, call_, criterion_, tolerances_);
  }
  if (vacuous_.empty()) return;
  draw(seed, data);
  vacuous_ = first;
  if (const std::string why = runtime::whyConstant(call_); !why.empty()) vacuous_ += ", whatever is drawn: " + why;
}

void Examination::drawAgain() { draw(otherSeed(seed_), data_); }

void Examination::draw(uint64_t seed, const Data& data) {
  truth_ = {};
  data_ = data;
  call_.draw(seed, data);
  truth_ = truthOf(call_);
}

Verdict Examination::judge(runtime::Trial& trial) const { return judged(trial.run()); }

void Examination::forget(runtime::Trial& trial) { runtime::poisonGuarded(trial.outputs()); }

Verdict Examination::judged(const runtime::TensorList& outputs) const {
  if (std::string outside = runtime::writtenOutside(outputs); !outside.empty()) return {false, std::move(outside), {}};
  Verdict verdict = check(outputs, truth_, call_, criterion_, tolerances_);
  if (verdict.ok || !truth_.float64) return verdict;
  const runtime::TensorList found = runtime::clone(outputs);  // which may be arguments, written in place
  call_.restore();
  Truth truth = truth_;
  truth.again = differingRuns(call_, truth_);
  return truth.again.empty() ? verdict : check(found, truth, call_, criterion_, tolerances_);
}

std::optional<bool> Examination::isDeterministic(runtime::Trial& trial) const {
  if (criterion_.rule == Rule::TypeOnly || criterion_.mayVary) return std::nullopt;
  const runtime::TensorList first = runtime::clone(trial.run());
  return runtime::bitwiseEqual(first, trial.run());
}

}  // namespace opbench
