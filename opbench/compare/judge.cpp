#include "opbench/compare/judge.h"

#include <algorithm>
#include <cmath>

#include "opbench/compare/control.h"

namespace opbench::compare {
namespace {

constexpr double noticeable = 0.05;  // a change that Same must exclude
constexpr double within95 = 1.96;    // standard deviations that hold 95 % of what is normally distributed
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

/// Faster or Slower where the medians are apart by more than `gap` and the ratio's interval by more than the least, else Same.
Change moveBeyond(const Pair& pair, double gap) {
  const Range range = rangeOf(pair);
  const bool isApart = range.low > pair.least || range.high < -pair.least;
  return isApart ? move(pair, gap) : Change::Same;
}

bool overlap(const Pair& pair) { return pair.candidate.low <= pair.base.high && pair.base.low <= pair.candidate.high; }

double halfWidth(const Figure& figure) { return std::max(figure.high - figure.centre, figure.centre - figure.low); }

Pair withoutDrift(const Evidence& e) {
  Pair undrifted = e.time;
  undrifted.candidate = scaled(e.time.candidate, -e.drift);
  return undrifted;
}

Judgement ambiguous(Ambiguity ambiguity) { return {Change::Ambiguous, ambiguity}; }

/// Of what is not clear.
Judgement judgeMove(const Pair& pair, bool isCoarse) {
  if (move(pair, pair.gap()) != Change::Same) return ambiguous(overlap(pair) ? Ambiguity::Noise : Ambiguity::Gap);
  const double furthest = std::abs(shift(pair)) + within95 * pair.scatter;
  const bool isTooWide = std::log1p(noticeable) < std::max(pair.gap(), furthest) ||
                         (!isCoarse && std::max(halfWidth(pair.base), halfWidth(pair.candidate)) > noticeable);
  return isTooWide ? ambiguous(Ambiguity::Noise) : Judgement{};
}

Judgement judgeTime(const Evidence& e) {
  const Pair undrifted = withoutDrift(e);
  if (const Change change = clearChange(e.time); change != Change::Same) {
    if (e.cycles && clearChange(*e.cycles) != change) return ambiguous(Ambiguity::Clock);
    return clearChange(undrifted) == change ? Judgement{change} : ambiguous(Ambiguity::Drift);
  }
  if (move(e.time, e.time.gap()) != move(undrifted, undrifted.gap())) return ambiguous(Ambiguity::Drift);
  return judgeMove(e.time, e.isCoarse);
}

/// The change of the time over the control's, or of this and the secondary measure together.
Change pairedChange(const Evidence& e) {
  if (const Change change = clearChange(*e.paired); change != Change::Same || !e.secondary) return change;
  const Change likely = moveBeyond(*e.paired, e.paired->likelyGap());
  return moveBeyond(*e.secondary, e.secondary->likelyGap()) == likely ? likely : Change::Same;
}

Judgement judgePaired(const Evidence& e) {
  const Pair undrifted = withoutDrift(e);
  if (const Change change = pairedChange(e); change != Change::Same) {
    const double enough = std::max(std::abs(shift(*e.paired)) / 3, undrifted.scatter / 2);  // else the control moved
    const bool hasMoved = move(e.time, std::abs(e.drift)) == change && move(undrifted, enough) == change;
    return hasMoved ? Judgement{change} : ambiguous(Ambiguity::Drift);
  }
  if (const Change change = clearChange(undrifted); change != Change::Same) {
    const bool hasFollowed = undrifted.scatter > 0 && move(*e.paired, std::abs(shift(undrifted)) / 2) == change;
    return hasFollowed ? Judgement{change} : ambiguous(Ambiguity::Drift);
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

double Pair::likelyGap() const { return std::max(least, Control::likely * scatter); }

Figure figureOf(double value, const Interval& interval) {
  return {std::log(value), std::log(std::min(value, interval.low)), std::log(std::max(value, interval.high))};
}

Figure scaled(const Figure& figure, double logFactor) {
  return {figure.centre + logFactor, figure.low + logFactor, figure.high + logFactor};
}

Figure inverse(const Figure& figure) { return {-figure.centre, -figure.high, -figure.low}; }

Judgement judge(const Evidence& e) {
  if (e.isUnknown) return ambiguous(Ambiguity::Noise);
  const Judgement judgement = e.paired ? judgePaired(e) : judgeTime(e);
  if (judgement.change != Change::Slower && judgement.change != Change::Faster) return judgement;
  if (e.isDisturbed || e.isNoisy) return ambiguous(Ambiguity::Noise);
  return e.isFew && !isGross(e, judgement.change) ? ambiguous(Ambiguity::Few) : judgement;
}

Interval ratioInterval(const Pair& pair) {
  const Range range = rangeOf(pair);
  const double centre = shift(pair), scatter = within95 * pair.scatter;
  return {std::exp(centre - std::hypot(centre - range.low, scatter)),
          std::exp(centre + std::hypot(range.high - centre, scatter))};
}

}  // namespace opbench::compare
