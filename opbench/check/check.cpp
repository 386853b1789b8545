#include "opbench/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace opbench {
namespace {

/// One call's outputs under the law that is theirs.
class Checker {
 public:
  Checker(const Truth& truth, runtime::Call& call, const Criterion& criterion, const Tolerances& tolerances)
      : truth_(truth), call_(call), criterion_(criterion), tolerances_(tolerances) {}

  Verdict values(const runtime::TensorList& found, int output) const {
    const Limit allowed = limit(output);
    const auto compared = [&](const runtime::TensorList& results) {
      return runtime::compare(results, truth_.eager, truth_.float64, output, allowed.element);
    };
    runtime::Comparison comparison = compared(found);
    for (const runtime::TensorList& run : truth_.again) {
      const runtime::Comparison other = compared(run);
      comparison.rmseEager = std::max(comparison.rmseEager, other.rmseFound);
      comparison.worstErrorEager = std::max(comparison.worstErrorEager, other.worstError);
    }
    return judge(comparison, criterion_.rule, allowed, output);
  }

  /// Places are right where the values at them are: equal ones have several.
  Verdict places(const runtime::TensorList& found, int output, runtime::Places kind) const {
    if (found.type(output) != truth_.eager.type(output)) return values(found, output);
    const runtime::Placed placed = runtime::valuesAt(call_, found, output, kind);
    if (!placed.error.empty()) return {false, fmt::format("output {} {}", output, placed.error), {}};
    const runtime::Placed expected = runtime::valuesAt(call_, truth_.eager, output, kind);
    Verdict verdict = judge(runtime::compare(placed.values, expected.values, {}, 0, 0), Rule::Exact, {}, output);
    verdict.accuracy.reset();
    if (!verdict.ok) verdict.message += ", where they point";
    return verdict;
  }

  Verdict operator()(const runtime::TensorList& found, int output) const {
    const auto kind = criterion_.places.find(output);
    const bool arePlaces = kind != criterion_.places.end() && criterion_.rule != Rule::TypeOnly;
    return arePlaces ? places(found, output, kind->second) : values(found, output);
  }

  /// Whether a trivial result passes, by its first elements and, where they do, by all.
  bool passes(const runtime::Trivial& trivial, int output) const {
    const Limit allowed = limit(output);
    const auto comparison = runtime::compare(trivial.found, trivial.eager, trivial.float64, 0, allowed.element);
    return judge(comparison, criterion_.rule, allowed, output).ok;
  }

  /// The name of a trivial result that passes for an output, or nothing.
  std::string passing(int output, int64_t elements) const {
    for (const runtime::Trivial& trivial : runtime::trivialResults(call_, truth_.eager, truth_.float64, output, elements)) {
      const bool mayCopy = criterion_.mayCopy || criterion_.copies.contains(output);
      const bool isRight = trivial.isCopy ? mayCopy : criterion_.mayBeConstant;
      if (!isRight && passes(trivial, output)) return trivial.name;
    }
    return "";
  }

 private:
  Limit limit(int output) const {
    const ir::TensorType& type = truth_.eager.type(output);
    return tolerances_.limit(criterion_, type.dtype, static_cast<bool>(truth_.float64), termsOf(type),
                             runtime::hasWiderNumber(call_, type.dtype));
  }

  /// Elements that one of an output is combined from, at most. For f64 there is no wider reference: eager's own error counts as
  /// the result's, and may be that of a mean over all of an argument, such as a batch norm subtracts from every element.
  double termsOf(const ir::TensorType& type) const {
    if (type.numel() == 0) return 1;
    if (type.dtype == ir::DType::F64 || type.dtype == ir::DType::C128) return static_cast<double>(truth_.mostArgumentElements);
    if (criterion_.isCumulative)
      return type.sizes.empty() ? 1 : static_cast<double>(*std::max_element(type.sizes.begin(), type.sizes.end()));
    return static_cast<double>(truth_.mostArgumentElements) / static_cast<double>(type.numel());
  }

  const Truth& truth_;
  runtime::Call& call_;
  const Criterion& criterion_;
  const Tolerances& tolerances_;
};

}  // namespace

Truth truthOf(runtime::Call& call) { return {call.reference(), call.referenceInFloat64(), runtime::mostArgumentElements(call)}; }

std::vector<runtime::TensorList> differingRuns(runtime::Call& call, const Truth& truth) {
  constexpr size_t enough = 8;
  std::vector<runtime::TensorList> runs{call.reference()};
  if (runtime::bitwiseEqual(runs.front(), truth.eager)) return {};
  while (runs.size() < enough) runs.push_back(call.reference());
  return runs;
}

Verdict check(const runtime::TensorList& found, const Truth& truth, runtime::Call& call, const Criterion& criterion,
              const Tolerances& tolerances) {
  if (found.size() != truth.eager.size())
    return {false, fmt::format("{} outputs, eager has {}", found.size(), truth.eager.size()), {}};
  const Checker checker(truth, call, criterion, tolerances);
  Verdict whole;
  for (int i = 0; i < found.size(); ++i) {
    const Verdict verdict = checker(found, i);
    if (!verdict.ok) return verdict;
    const bool isWorse = verdict.accuracy && (!whole.accuracy || verdict.accuracy->worstError > whole.accuracy->worstError);
    if (isWorse) whole.accuracy = verdict.accuracy;
  }
  return whole;
}

std::string vacuity(const Truth& truth, runtime::Call& call, const Criterion& criterion, const Tolerances& tolerances) {
  constexpr int64_t few = 1 << 16, all = std::numeric_limits<int64_t>::max();
  if (criterion.rule == Rule::TypeOnly) return "";
  const Checker checker(truth, call, criterion, tolerances);
  for (int i = 0; i < truth.eager.size(); ++i) {
    const int64_t elements = truth.eager.type(i).numel();
    if (elements == 0 || criterion.places.contains(i)) continue;
    std::string name = checker.passing(i, few);
    if (!name.empty() && elements > few) name = checker.passing(i, all);
    if (!name.empty()) return fmt::format("{} would pass for output {}", name, i);
  }
  return "";
}

}  // namespace opbench
