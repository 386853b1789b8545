#include "opbench/compare/judge.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "opbench/compare/control.h"

namespace opbench::compare {
namespace {

constexpr double noticeable = 0.05;  // a change that Same must exclude
constexpr double within95 = 1.96;    // standard deviations that hold 95 % of a normal distribution
constexpr double gross = 0.2;        // a change that counts though nothing is known of the scatter

double shift(const Pair& pair) { return pair.candidate.centre - pair.base.centre; }

/// The 95 % interval of the shift (Zou and Donner's method of variance estimates recovery, Statistics in Medicine 27, 2008).
struct Range {
  double low, high;
};
Range rangeOf(const Pair& pair) {
  const auto &base = pair.base, &candidate = pair.candidate;
  return {shift(pair) - std::hypot(candidate.centre - candidate.low, base.high - base.centre),
          shift(pair) + std::hypot(candidate.high - candidate.centre, base.centre - base.low)};
}

/// Faster or Slower where the intervals are apart by more than the gap, else Same.
Change clearChange(const Pair& pair) {
  if (pair.candidate.low > pair.base.high + pair.gap()) return Change::Slower;
  if (pair.candidate.high < pair.base.low - pair.gap()) return Change::Faster;
  return Change::Same;
}

/// Faster or Slower where the medians are apart by more than `least`, else Same.
Change move(const Pair& pair, double least) {
  if (std::abs(shift(pair)) <= least) return Change::Same;
  return shift(pair) > 0 ? Change::Slower : Change::Faster;
}

/// Whether the ratio's interval leaves out all that counts for no change.
bool isApart(const Pair& pair) {
  const Range range = rangeOf(pair);
  return range.low > std::log1p(leastGap) || range.high < -std::log1p(leastGap);
}

bool overlap(const Pair& pair) { return pair.candidate.low <= pair.base.high && pair.base.low <= pair.candidate.high; }

double halfWidth(const Figure& figure) { return std::max(figure.high - figure.centre, figure.centre - figure.low); }

Pair withoutDrift(const Evidence& e) {
  Pair undrifted = e.time;
  undrifted.candidate = scaled(e.time.candidate, -e.drift);
  return undrifted;
}

Judgement clear(Change change, const Pair& basis) { return {change, Ambiguity::None, basis}; }
Judgement ambiguous(Ambiguity ambiguity, const Pair& basis) { return {Change::Ambiguous, ambiguity, basis}; }

/// The judgement of a pair that has not clearly changed.
Judgement judgeMove(const Pair& pair, bool isCoarse) {
  if (move(pair, pair.gap()) != Change::Same) return ambiguous(overlap(pair) ? Ambiguity::Noise : Ambiguity::Gap, pair);
  const double furthest = std::abs(shift(pair)) + within95 * pair.scatter;
  const bool isTooWide = std::log1p(noticeable) < std::max(pair.gap(), furthest) ||
                         (!isCoarse && std::max(halfWidth(pair.base), halfWidth(pair.candidate)) > noticeable);
  return isTooWide ? ambiguous(Ambiguity::Noise, pair) : clear(Change::Same, pair);
}

Judgement judgeTime(const Evidence& e) {
  const Pair undrifted = withoutDrift(e);
  if (const Change change = clearChange(e.time); change != Change::Same) {
    if (e.cycles && clearChange(*e.cycles) != change) return ambiguous(Ambiguity::Clock, e.time);
    return clearChange(undrifted) == change ? clear(change, undrifted) : ambiguous(Ambiguity::Drift, undrifted);
  }
  if (move(e.time, e.time.gap()) != move(undrifted, undrifted.gap())) return ambiguous(Ambiguity::Drift, undrifted);
  return judgeMove(e.time, e.isCoarse);
}

/// The geometric mean of two figures that scatter independently.
Figure meanOf(const Figure& a, const Figure& b) {
  const double centre = (a.centre + b.centre) / 2;
  return {centre, centre - std::hypot(a.centre - a.low, b.centre - b.low) / 2,
          centre + std::hypot(a.high - a.centre, b.high - b.centre) / 2};
}

/// The mean of both pairs, and what of it counts.
Pair meanOf(const Pair& a, const Pair& b) {
  // The least of one figure is the noise that holds 95 % of its changes.
  constexpr double certainOfMean = Control::certain / within95 / std::numbers::sqrt2;
  // Such scatter has longer tails than a normal distribution.
  constexpr double longTails = 1.2;
  return {meanOf(a.base, b.base), meanOf(a.candidate, b.candidate), std::max(a.least, b.least) * certainOfMean,
          longTails * std::hypot(a.scatter, b.scatter) / 2};
}

/// What the time over the control's and the secondary time show together, each at least half of it: Same where it is not clear.
Judgement judgeBoth(const Evidence& e) {
  const Pair both = meanOf(*e.paired, *e.secondary);
  const Change change = isApart(both) ? move(both, both.gap()) : Change::Same;
  const double half = std::abs(shift(both)) / 2;
  const bool doBothMove = move(*e.paired, half) == change && move(*e.secondary, half) == change;
  return clear(doBothMove ? change : Change::Same, both);
}

/// The change of the time over the control's, where the secondary time does not confirm it.
Change pairedChange(const Evidence& e) {
  Pair paired = *e.paired;
  if (e.secondary) paired.least *= Control::certain / within95;
  return clearChange(paired);
}

Judgement judgePaired(const Evidence& e) {
  if (e.secondary)
    if (const Judgement both = judgeBoth(e); both.change != Change::Same) return both;
  const Pair undrifted = withoutDrift(e);
  if (const Change change = pairedChange(e); change != Change::Same) {
    const double enough = std::max(std::abs(shift(*e.paired)) / 2, undrifted.scatter / 2);  // else the control moved
    const bool hasMoved = move(e.time, std::abs(e.drift)) == change && move(undrifted, enough) == change;
    return hasMoved ? clear(change, *e.paired) : ambiguous(Ambiguity::Drift, *e.paired);
  }
  if (const Change change = clearChange(undrifted); change != Change::Same) {
    const bool hasFollowed = undrifted.scatter > 0 && move(*e.paired, std::abs(shift(undrifted)) / 2) == change;
    return hasFollowed ? clear(change, undrifted) : ambiguous(Ambiguity::Drift, *e.paired);
  }
  return judgeMove(*e.paired, e.isCoarse);
}

/// Whether so much has changed, by both measures where there are two, that it counts though nothing is known of the scatter.
bool isGross(const Evidence& e, Change change) {
  const double sign = change == Change::Slower ? 1 : -1;
  const bool isConfirmed = !e.secondaryShift || sign * *e.secondaryShift > std::log1p(gross / 2);
  return move(e.time, std::log1p(gross)) == change && isConfirmed;
}

}  // namespace

double Pair::gap() const { return std::max(least, Control::certain * scatter); }

Figure figureOf(double value, const Interval& interval) {
  return {std::log(value), std::log(std::min(value, interval.low)), std::log(std::max(value, interval.high))};
}

Figure scaled(const Figure& figure, double logFactor) {
  return {figure.centre + logFactor, figure.low + logFactor, figure.high + logFactor};
}

Figure inverse(const Figure& figure) { return {-figure.centre, -figure.high, -figure.low}; }

Judgement judge(const Evidence& e) {
  if (e.isUnknown) return ambiguous(Ambiguity::Noise, e.time);
  const Judgement judgement = e.paired ? judgePaired(e) : judgeTime(e);
  if (judgement.change != Change::Slower && judgement.change != Change::Faster) return judgement;
  if (e.isDisturbed || e.isNoisy) return ambiguous(Ambiguity::Noise, judgement.basis);
  return e.isFew && !isGross(e, judgement.change) ? ambiguous(Ambiguity::Few, judgement.basis) : judgement;
}

double ratio(const Pair& pair) { return std::exp(shift(pair)); }

Interval ratioInterval(const Pair& pair) {
  const Range range = rangeOf(pair);
  const double centre = shift(pair), scatter = within95 * pair.scatter;
  return {std::exp(centre - std::hypot(centre - range.low, scatter)),
          std::exp(centre + std::hypot(range.high - centre, scatter))};
}

}  // namespace opbench::compare
