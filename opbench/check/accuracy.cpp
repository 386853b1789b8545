#include "opbench/check/accuracy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

namespace opbench {
namespace {

using runtime::Comparison;
using runtime::WrongElement;

/// `output 1 is wrong at [3, 17]: found 1.25, expected 1.5`.
std::string wrongAt(const WrongElement& element, const NamedOutput& output) {
  const std::string place = element.index.empty() ? "the only element" : fmt::format("[{}]", fmt::join(element.index, ", "));
  return fmt::format("{} is wrong at {}: found {}, expected {}", output.name, place, element.found, element.expected);
}

/// The message of a wrong element, where there is one.
std::string wrongAt(const std::optional<WrongElement>& element, const NamedOutput& output) {
  return element ? wrongAt(*element, output) : fmt::format("{} is wrong", output.name);
}

/// The message of the worst element, where one is off by itself.
std::string where(const Comparison& c, const NamedOutput& output) {
  using runtime::numberText;
  std::optional<WrongElement> worst;
  if (c.worst) worst = {*c.worst, numberText(c.worstFound), numberText(c.worstExpected)};
  return wrongAt(worst, output);
}

Verdict wrong(std::string message) { return {false, std::move(message), std::nullopt}; }

Verdict judgeType(const Comparison& c, const NamedOutput& output) {
  if (c.sameType) return {};
  return wrong(fmt::format("{} is {} where eager's is {}", output.name, toText(c.found), toText(c.expected)));
}

Verdict judgeExact(const Comparison& c, const NamedOutput& output) {
  if (c.unequal == 0) return {};
  return wrong(
      fmt::format("{}; {} of {} elements differ, all must be equal", wrongAt(c.firstUnequal, output), c.unequal, c.numel));
}

/// Whether values within the tolerance are the right ones all the same: zeros for gradients of 1e-6 are not.
bool hasDirection(const Comparison& c) {
  constexpr double aligned = 0.99;
  return c.unequal == 0 || !std::isfinite(c.cosine) || c.cosine >= aligned;
}

Verdict judgeElements(const Comparison& c, const Limit& limit, const NamedOutput& output) {
  if (!c.allClose) return wrong(fmt::format("{}; tolerance {:g}", where(c, output), limit.element));
  if (limit.isElementAlone || hasDirection(c)) return {};
  return wrong(
      fmt::format("{}; close only in absolute terms: the cosine to the reference is {:.4f}", where(c, output), c.cosine));
}

/// Whether a few huge elements are the root mean square of all, behind which others hide. A sum among them is off by what its
/// terms are, whatever it is itself.
bool hidesElements(const Comparison& c) {
  constexpr double huge = 1e3;
  return c.rmsReference > huge * c.usualScale;
}

Verdict judgeAgainstEager(const Comparison& c, const Limit& limit, const NamedOutput& output) {
  constexpr double worstErrors = 4;
  const double ofSums = errorOfSums(c, limit);
  const bool isFarOff =
      !c.eagerOverflows && std::abs(c.worstFound - c.worstExpected) > ofSums && c.worstError > worstErrors * c.worstErrorEager;
  if (!c.allClose && isFarOff)
    return wrong(
        fmt::format("{}; tolerance {:.3g}, eager's largest error {:.3g}", where(c, output), limit.element, c.worstErrorEager));
  constexpr double subnormal = 0x1p-149;                                // of f32: below its multiples nothing is kept
  const double share = c.eagerOverflows ? limit.element : limit.share;  // errors of eager's other elements say little
  const double allowed = limit.eagerErrors * c.rmseEager + share * c.rmsReference + ofSums + subnormal;
  if (c.rmseFound > allowed)
    return wrong(fmt::format("{}; root mean square error {:.3g}, eager's {:.3g}, allowed {:.3g}", where(c, output), c.rmseFound,
                             c.rmseEager, allowed));
  const double allowedRelative = limit.eagerErrors * c.relativeEager + share + subnormal;
  if (!hidesElements(c) || ofSums > 0 || c.relativeFound <= allowedRelative) return {};
  return wrong(fmt::format("{}; root mean square error relative to 1 + |expected| {:.3g}, eager's {:.3g}, allowed {:.3g}",
                           where(c, output), c.relativeFound, c.relativeEager, allowedRelative));
}

Verdict judgeClose(const Comparison& c, const Limit& limit, const NamedOutput& output) {
  if (c.misplaced > 0)
    return wrong(fmt::format("{}; {} of {} elements are NaN or infinite on one side only", wrongAt(c.firstMisplaced, output),
                             c.misplaced, c.numel));
  const bool asksEager = c.hasReference && !limit.isElementAlone;
  return asksEager ? judgeAgainstEager(c, limit, output) : judgeElements(c, limit, output);
}

Verdict judgeNetwork(const Comparison& c, const Limit& limit, const NamedOutput& output) {
  const double allowed = limit.eagerErrors * c.rmseEager + limit.share * c.rmsReference + limit.floor;
  if (c.misplaced == 0 && (c.rmseFound <= allowed || c.cosine >= limit.leastCosine)) return {};
  return wrong(fmt::format("{}; root mean square error {:.3g}, eager's {:.3g}, allowed {:.3g}", where(c, output), c.rmseFound,
                           c.rmseEager, allowed));
}

Accuracy accuracyOf(const Comparison& c, const NamedOutput& output) {
  return {output.number, c.maxUlp,        c.rmseFound,  c.rmseEager,      c.cosine, c.worst.value_or(std::vector<int64_t>{}),
          c.worstFound,  c.worstExpected, c.worstError, c.worstErrorEager};
}

Verdict judgeValues(const Comparison& c, Rule rule, const Limit& limit, const NamedOutput& output) {
  const bool isReal = ir::isFloating(c.expected.dtype) || ir::isComplex(c.expected.dtype);
  Verdict verdict = !isReal || rule == Rule::Exact ? judgeExact(c, output)
                    : rule == Rule::Network        ? judgeNetwork(c, limit, output)
                                                   : judgeClose(c, limit, output);
  if (isReal) verdict.accuracy = accuracyOf(c, output);
  return verdict;
}

}  // namespace

// A sum that cancels to nearly nothing among larger ones is off by what its terms are.
double errorOfSums(const Comparison& c, const Limit& limit) { return limit.accumulated * (1 + c.rmsReference); }

Verdict judge(const Comparison& comparison, Rule rule, const Limit& limit, const NamedOutput& output) {
  Verdict verdict = judgeType(comparison, output);
  const bool hasValues = rule != Rule::TypeOnly && rule != Rule::Random;
  return verdict.ok && hasValues ? judgeValues(comparison, rule, limit, output) : verdict;
}

}  // namespace opbench
