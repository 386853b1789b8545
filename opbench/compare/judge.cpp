#include "opbench/compare/judge.h"

#include <algorithm>
#include <cmath>

namespace opbench::compare {
namespace {

constexpr double noticeable = 0.05;  // a change that Same must exclude

/// Faster or Slower where the intervals are apart by more than the gap, else Same.
Change clearChange(const Pair& pair) {
  if (pair.candidate.low > pair.base.high + pair.gap) return Change::Slower;
  if (pair.candidate.high < pair.base.low - pair.gap) return Change::Faster;
  return Change::Same;
}

bool overlap(const Pair& pair) { return pair.candidate.low <= pair.base.high && pair.base.low <= pair.candidate.high; }

double shift(const Pair& pair) { return pair.candidate.centre - pair.base.centre; }

/// Faster or Slower where the medians are apart by more than `least`, else Same.
Change move(const Pair& pair, double least) {
  if (std::abs(shift(pair)) <= least) return Change::Same;
  return shift(pair) > 0 ? Change::Slower : Change::Faster;
}

double halfWidth(const Figure& figure) { return std::max(figure.high - figure.centre, figure.centre - figure.low); }

Pair withoutDrift(const Evidence& e) { return {e.time.base, scaled(e.time.candidate, -e.drift), e.time.gap}; }

Judgement ambiguous(Doubt doubt) { return {Change::Ambiguous, doubt}; }

/// Of what is not clear.
Judgement judgeMove(const Pair& pair, bool isCoarse) {
  if (move(pair, pair.gap) != Change::Same) return ambiguous(overlap(pair) ? Doubt::Noise : Doubt::Gap);
  const bool isTooWide =
      std::log1p(noticeable) < pair.gap || (!isCoarse && std::max(halfWidth(pair.base), halfWidth(pair.candidate)) > noticeable);
  return isTooWide ? ambiguous(Doubt::Noise) : Judgement{};
}

Judgement judgeTime(const Evidence& e) {
  const Pair steady = withoutDrift(e);
  if (const Change change = clearChange(e.time); change != Change::Same) {
    if (e.cycles && clearChange(*e.cycles) != change) return ambiguous(Doubt::Clock);
    return clearChange(steady) == change ? Judgement{change} : ambiguous(Doubt::Drift);
  }
  if (move(e.time, e.time.gap) != move(steady, steady.gap)) return ambiguous(Doubt::Drift);
  return judgeMove(e.time, e.isCoarse);
}

Judgement judgePaired(const Evidence& e) {
  Change change = clearChange(*e.paired);
  if (change == Change::Same && e.beside && clearChange(*e.beside) == move(*e.paired, e.paired->gap))
    change = clearChange(*e.beside);
  if (change != Change::Same) return move(e.time, std::abs(e.drift)) == change ? Judgement{change} : ambiguous(Doubt::Drift);
  if (clearChange(withoutDrift(e)) != Change::Same) return ambiguous(Doubt::Drift);
  return judgeMove(*e.paired, e.isCoarse);
}

}  // namespace

Figure figureOf(double value, const Interval& interval) {
  return {std::log(value), std::log(std::min(value, interval.low)), std::log(std::max(value, interval.high))};
}

Figure scaled(const Figure& figure, double logFactor) {
  return {figure.centre + logFactor, figure.low + logFactor, figure.high + logFactor};
}

Figure inverse(const Figure& figure) { return {-figure.centre, -figure.high, -figure.low}; }

Judgement judge(const Evidence& e) { return e.paired ? judgePaired(e) : judgeTime(e); }

Interval ratioInterval(const Pair& pair) {
  const auto &base = pair.base, &candidate = pair.candidate;
  const double below = std::hypot(candidate.centre - candidate.low, base.high - base.centre);
  const double above = std::hypot(candidate.high - candidate.centre, base.centre - base.low);
  return {std::exp(shift(pair) - below), std::exp(shift(pair) + above)};
}

}  // namespace opbench::compare
