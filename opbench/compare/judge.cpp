#include "opbench/compare/judge.h"

#include <algorithm>
#include <cmath>

namespace opbench::compare {
namespace {

constexpr double noticeable = 0.05;  // a change that Same must exclude

/// Faster or Slower where the intervals are apart by more than the gap, else Same.
Change clearChange(const Pair& pair, double gap) {
  if (pair.candidate.low > pair.base.high + gap) return Change::Slower;
  if (pair.candidate.high < pair.base.low - gap) return Change::Faster;
  return Change::Same;
}

bool overlap(const Pair& pair) { return pair.candidate.low <= pair.base.high && pair.base.low <= pair.candidate.high; }

double shift(const Pair& pair) { return pair.candidate.centre - pair.base.centre; }

double halfWidth(const Figure& figure) { return std::max(figure.high - figure.centre, figure.centre - figure.low); }

Pair withoutDrift(const Evidence& e) { return {e.time.base, scaled(e.time.candidate, -e.drift)}; }

bool controlSaysDrift(const Evidence& e, Change change) {
  if (!e.control || clearChange(*e.control, e.gap) != change) return false;
  return !e.paired || clearChange(*e.paired, e.gap) != change;
}

Judgement judgeClear(const Evidence& e, Change change) {
  if (e.cycles && clearChange(*e.cycles, e.gap) != change) return {Change::Ambiguous, Doubt::Clock};
  if (clearChange(withoutDrift(e), e.gap) != change || controlSaysDrift(e, change)) return {Change::Ambiguous, Doubt::Drift};
  return {change, Doubt::None};
}

bool isTooWide(const Evidence& e) {
  if (std::log1p(noticeable) < e.gap) return true;
  return !e.isCoarse && std::max(halfWidth(e.time.base), halfWidth(e.time.candidate)) > noticeable;
}

}  // namespace

Figure figureOf(double value, const Interval& interval) {
  return {std::log(value), std::log(std::min(value, interval.low)), std::log(std::max(value, interval.high))};
}

Figure scaled(const Figure& figure, double logFactor) {
  return {figure.centre + logFactor, figure.low + logFactor, figure.high + logFactor};
}

Figure inverse(const Figure& figure) { return {-figure.centre, -figure.high, -figure.low}; }

Judgement judge(const Evidence& e) {
  if (const Change change = clearChange(e.time, e.gap); change != Change::Same) return judgeClear(e, change);
  const bool moved = std::abs(shift(e.time)) > e.gap, movedBesidesDrift = std::abs(shift(withoutDrift(e))) > e.gap;
  if (moved != movedBesidesDrift) return {Change::Ambiguous, Doubt::Drift};
  if (moved) return {Change::Ambiguous, overlap(e.time) ? Doubt::Noise : Doubt::Gap};
  return isTooWide(e) ? Judgement{Change::Ambiguous, Doubt::Noise} : Judgement{};
}

Interval ratioInterval(const Pair& pair) {
  const auto &base = pair.base, &candidate = pair.candidate;
  const double below = std::hypot(candidate.centre - candidate.low, base.high - base.centre);
  const double above = std::hypot(candidate.high - candidate.centre, base.centre - base.low);
  return {std::exp(shift(pair) - below), std::exp(shift(pair) + above)};
}

}  // namespace opbench::compare
