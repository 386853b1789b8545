#include "opbench/check/tolerances.h"
#include "inputs/operator_name.h"

#include <algorithm>
#include <cmath>

#include "inputs/operators/facts.h"
#include "opbench/check/tolerances_reader.h"
#include "opbench/text/patterns.h"

namespace opbench {

std::string_view tolerancesText();  // tolerances.yaml

namespace {

/// `aten.copy.default` of `aten.copy_.default`; other names as they are.
std::string functionalName(const std::string& op) {
  const size_t overload = op.rfind('.');
  const bool isInPlace = overload != std::string::npos && overload > 1 && op[overload - 1] == '_' && op[overload - 2] != '_';
  return isInPlace ? op.substr(0, overload - 1) + op.substr(overload) : op;
}

/// The largest relative error of one rounding to a dtype.
double roundoff(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::F8E5M2: return 0x1p-3;
    case ir::DType::F8E4M3: return 0x1p-4;
    case ir::DType::BF16: return 0x1p-8;
    case ir::DType::F16:
    case ir::DType::C32: return 0x1p-11;
    case ir::DType::F64:
    case ir::DType::C128: return 0x1p-53;
    default: return 0x1p-24;
  }
}

/// The roundoff of the dtype in which sums of a dtype are taken.
double roundoffOfSums(ir::DType dtype) { return std::min(roundoff(dtype), roundoff(ir::DType::F32)); }

}  // namespace

Tolerances::Tolerances() {
  TolerancesReader(*this, "tolerances.yaml").read(std::string(tolerancesText()));
  patterns_.clear();
}

void Tolerances::read(const std::string& path) {
  if (!path.empty()) TolerancesReader(*this, path).read(YamlReader::contentOf(path));
}

const Tolerances& Tolerances::standard() {
  static const Tolerances table;
  return table;
}

Criterion Tolerances::criterionFor(const std::string& op) const {
  Criterion criterion{inputs::judgementOf(op)};
  for (const Entry& entry : entries_) {
    if (!isOf(entry, op)) continue;
    criterion.rule = entry.rule.value_or(criterion.rule);
    if (entry.tolerance) criterion.tolerance = entry.tolerance;
    criterion.indices = entry.indices.value_or(criterion.indices);
    criterion.isCumulative = entry.isCumulative.value_or(criterion.isCumulative);
    criterion.mayCopy = entry.mayCopy.value_or(criterion.mayCopy);
    criterion.copies = entry.copies.value_or(criterion.copies);
    criterion.workspaces = entry.workspaces.value_or(criterion.workspaces);
    criterion.mayBeConstant = entry.mayBeConstant.value_or(criterion.mayBeConstant);
    criterion.mayVary = entry.mayVary.value_or(criterion.mayVary);
  }
  // Results that vary from run to run, eager's too, cannot be met bit for bit.
  if (criterion.mayVary && criterion.rule == Rule::Exact) criterion.rule = Rule::Close;
  return criterion;
}

Criterion Tolerances::criterionFor(const std::string& op, const NetworkRun& run) const {
  constexpr double ofHigher = 1e-3, ofEvenHigher = 8e-2, ofHigherHalf = 1e-2;
  Criterion criterion = criterionFor(op);
  criterion.byCosine = run.byCosine;
  const auto isIn = [&](Leniency leniency) { return isLenient(op, leniency); };
  if (run.dtype == ir::DType::F16 || run.isAutocast) {
    if (isIn(Leniency::HigherFp16)) criterion.leastTolerance = ofHigherHalf;
    return criterion;
  }
  if (run.dtype == ir::DType::BF16 && isIn(Leniency::HigherBf16)) {
    criterion.leastTolerance = ofHigherHalf;
    return criterion;
  }
  if (!run.isOnGpu || !inputs::isTraining(op)) return criterion;
  if (isIn(Leniency::Cosine)) criterion.byCosine = true;
  if (isIn(Leniency::EvenHigher))
    criterion.leastTolerance = ofEvenHigher;
  else if (isIn(Leniency::Higher))
    criterion.leastTolerance = ofHigher;
  return criterion;
}

bool Tolerances::isOf(const Entry& entry, const std::string& op) {
  const std::string functional = functionalName(op);
  return std::any_of(entry.names.begin(), entry.names.end(), [&](const std::string& name) {
    return matches(op, name) || matches(functional, name) || (entry.isOfNetworks && isNamed(op, name));
  });
}

bool Tolerances::isLenient(const std::string& op, Leniency leniency) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.leniency == leniency && isOf(entry, op); });
}

Criterion Tolerances::criterionFor(const std::vector<std::string>& ops) const {
  Criterion all{inputs::Judgement::ofConstants()};
  for (const std::string& op : ops) {
    const Criterion one = criterionFor(op);
    if (one.rule != Rule::Exact) all.rule = Rule::Close;
    if (one.tolerance) all.tolerance = std::max(*one.tolerance, all.tolerance.value_or(0));
    all.mayCopy = all.mayCopy && one.mayCopy;
    all.mayBeConstant = all.mayBeConstant && one.mayBeConstant;
    all.isCumulative = all.isCumulative || one.isCumulative;
    all.mayVary = all.mayVary || one.mayVary;
  }
  return all;
}

Limit Tolerances::limit(const Criterion& criterion, ir::DType dtype, bool hasReference, double terms,
                        bool roundsArguments) const {
  if (!ir::isFloating(dtype) && !ir::isComplex(dtype)) return {};
  if (criterion.isTf32 && dtype == ir::DType::F32) dtype = ir::DType::F16;
  Limit limit;
  const bool isLow = ir::isLowPrecision(dtype);
  if (terms > 1) limit.accumulated = accumulation_ * std::sqrt(terms) * roundoffOfSums(dtype);
  const double own = criterion.tolerance.value_or(ofDType_[static_cast<size_t>(dtype)]);
  limit.element = (own + limit.accumulated) * (hasReference ? 1 : withoutReference_);
  // A reference in the dtype of the result is eager's own, and off by what is rounded on the way as the result is. What went
  // through f32 is off by far more.
  const bool isReference = dtype == ir::DType::F64 || dtype == ir::DType::C128;
  if (isReference) limit.accumulated = std::max(limit.accumulated, roundoff(ir::DType::F32) / 32);
  limit.eagerErrors = isLow && !roundsArguments ? eagerErrorsLow_ : eagerErrors_;
  limit.share = roundoff(dtype) * (isLow ? 1.0 / 64 : 4);
  limit.isElementAlone = criterion.tolerance.has_value();
  const bool isCoarse = criterion.isTf32 || !hasReference;
  if (criterion.rule != Rule::Network) return limit;
  const double ofNetwork = std::max(own, criterion.leastTolerance);
  Limit whole{ofNetwork, eagerErrors_, isCoarse ? ofNetwork : ofNetwork / 10};
  if (criterion.byCosine) whole.leastCosine = 0.99;  // Dynamo's
  return whole;
}

}  // namespace opbench
