#include "opbench/check/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "opbench/check/chance.h"
#include "opbench/check/randomness.h"
#include "runtime/compare/wrong_elements.h"
#include "runtime/workloads/call.h"

namespace opbench {
namespace {

/// How far off chance lets a result be that is off as these are: as far above the largest of them as twice what that is above
/// their median.
double mostByChance(std::vector<double> errors) {
  std::sort(errors.begin(), errors.end());
  const double largest = errors.back(), median = errors[errors.size() / 2];
  return largest + 2 * (largest - median);
}

/// Judges the outputs of one workload by its criterion. Only a single call has indices and random numbers.
class Checker {
 public:
  Checker(const Reference& reference, runtime::Workload& workload, const Criterion& criterion, const Tolerances& tolerances)
      : reference_(reference), workload_(workload), criterion_(criterion), tolerances_(tolerances) {}

  Verdict values(const runtime::TensorList& found, int output) const {
    const Limit allowed = limit(output);
    const auto compared = [&](const runtime::TensorList& results, double leastError = 0) {
      return runtime::compare(results, reference_.eager, reference_.float64, output, allowed.element, leastError);
    };
    runtime::Comparison eagers;  // its errors
    const auto count = [&](const std::vector<runtime::TensorList>& runs) {
      std::vector<double> finite;  // root mean square errors of the runs
      for (const runtime::TensorList& run : runs) {
        const runtime::Comparison other = compared(run);
        eagers.rmseEager = std::max(eagers.rmseEager, other.rmseFound);
        // An overflow says nothing of how far off a number may be.
        if (std::isfinite(other.worstError)) eagers.worstErrorEager = std::max(eagers.worstErrorEager, other.worstError);
        if (std::isfinite(other.rmseFound)) finite.push_back(other.rmseFound);
      }
      return finite;
    };
    const auto judged = [&](runtime::Comparison comparison) {
      comparison.rmseEager = std::max(comparison.rmseEager, eagers.rmseEager);
      comparison.worstErrorEager = std::max(comparison.worstErrorEager, eagers.worstErrorEager);
      return judge(comparison, criterion_.rule, allowed, named(output));
    };
    const runtime::Comparison comparison = compared(found);
    const auto judgedInFull = [&] {
      Verdict verdict = judged(comparison);
      // The element with the largest relative error may be right, as sums are off by as much, and hide one that is not.
      const bool mayHide = verdict.ok && comparison.sameType && !comparison.allClose;
      if (const double ofSums = errorOfSums(comparison, allowed); mayHide && ofSums > 0)
        if (Verdict other = judged(compared(found, ofSums)); !other.ok) return other;
      return verdict;
    };
    count(reference_.again);
    Verdict verdict = judgedInFull();
    // A rounding that takes what a ReLU is given to the other side of zero changes gradients by as much, and one that turns the
    // sign of a gradient turns the step of an element by Adam.
    const auto saysLittle = [&] {
      constexpr double farOff = 0.01, mostCommon = 0.5;
      constexpr int64_t few = 32, fewRounded = 1024, isolated = 64, uneven = 16;
      const int64_t elements = reference_.eager.type(output).numel();
      if (!reference_.float64 || elements < few) return true;
      if (comparison.rmseEager > farOff * comparison.rmsReference) return true;
      if (!comparison.sameType) return false;
      const bool isNetwork = criterion_.rule == Rule::Network;
      // Errors of so few elements differ by chance where results round apart: by a fifth, of 32.
      if (!isNetwork && elements < fewRounded) return true;
      const runtime::WrongElements wrong = wrongElements(found, output, allowed.element);
      if (wrong.count > 0) return wrong.count * isolated <= wrong.of;
      if (isNetwork) return false;
      // The sum of a row of equal numbers is off by what all of them are rounded by; eager's may not be, by chance. So are all
      // sums of columns whose rows are equal numbers.
      return runtime::erringElements(found, reference_.float64, output) * uneven <= static_cast<double>(wrong.of) ||
             runtime::commonError(found, reference_.float64, output) > mostCommon;
    };
    if (!verdict.ok && !reference_.nearby.empty() && saysLittle()) {
      std::vector<double> errors = count(reference_.nearby);
      errors.push_back(comparison.rmseEager);
      eagers.rmseEager = std::max(eagers.rmseEager, mostByChance(std::move(errors)));
      verdict = judgedInFull();
    }
    if (!verdict.ok && comparison.sameType) verdict.message += wrongPlaces(found, output, allowed.element);
    return verdict;
  }

  /// Workspaces are right where their types are.
  Verdict type(const runtime::TensorList& found, int output) const {
    return judge(runtime::compare(found, reference_.eager, {}, output, 0), Rule::TypeOnly, {}, named(output));
  }

  /// Indices are right where the values at them are, as equal values have several; unless the operator says which comes first.
  Verdict indices(const runtime::TensorList& found, int output, runtime::IndexKind kind) const {
    const bool isDefined = kind == runtime::IndexKind::First && runtime::asksFor(workload_.call()->aten(), "stable");
    if (kind == runtime::IndexKind::First) kind = runtime::IndexKind::Distinct;
    if (isDefined || found.type(output) != reference_.eager.type(output)) return values(found, output);
    const runtime::IndexedValues indexed = runtime::valuesAt(workload_.call()->aten(), found, output, kind);
    if (!indexed.error.empty()) return {false, fmt::format("{} {}", workload_.outputName(output), indexed.error), {}};
    const runtime::IndexedValues expected = runtime::valuesAt(workload_.call()->aten(), reference_.eager, output, kind);
    Verdict verdict = judge(runtime::compare(indexed.values, expected.values, {}, 0, 0), Rule::Exact, {}, named(output));
    verdict.accuracy.reset();
    if (!verdict.ok) verdict.message += ", where they point";
    return verdict;
  }

  /// Random numbers are right if chance can make them, and what is derived from them if it is close to that.
  Verdict random(const runtime::TensorList& found) const {
    for (int i = 0; i < found.size(); ++i)
      if (Verdict verdict = values(found, i); !verdict.ok) return verdict;
    const auto derived = runtime::derivedFromDraws(workload_.call()->aten(), found);
    if (derived) {
      Criterion close = criterion_;
      close.rule = Rule::Close;
      const Reference reference{derived->eager, derived->float64, reference_.mostArgumentElements, reference_.largestOutput};
      if (Verdict verdict = Checker(reference, workload_, close, tolerances_).values(found, 0); !verdict.ok) return verdict;
    }
    const auto draws = runtime::drawsOf(workload_.call()->aten(), found);
    const std::string why = draws ? improbable(*draws) : "";
    return {why.empty(), why, {}};
  }

  Verdict operator()(const runtime::TensorList& found, int output) const {
    if (criterion_.workspaces.contains(output)) return type(found, output);
    const auto kind = criterion_.indices.find(output);
    const bool areIndices = kind != criterion_.indices.end() && criterion_.rule != Rule::TypeOnly;
    return areIndices ? indices(found, output, kind->second) : values(found, output);
  }

  /// Whether a trivial result passes, by its first elements and, where they do, by all.
  bool passes(const runtime::Trivial& trivial, int output) const {
    const Limit allowed = limit(output);
    const auto comparison = runtime::compare(trivial.found, trivial.eager, trivial.float64, 0, allowed.element);
    return judge(comparison, criterion_.rule, allowed, named(output)).ok;
  }

  /// The name of a trivial result that passes for an output, or nothing.
  std::string passing(int output, int64_t elements) const {
    for (const runtime::Trivial& trivial :
         runtime::trivialResults(workload_, reference_.eager, reference_.float64, output, elements)) {
      const bool mayCopy = criterion_.mayCopy || criterion_.copies.contains(output);
      const bool isRight = trivial.isCopy ? mayCopy : criterion_.mayBeConstant;
      if (!isRight && passes(trivial, output)) return trivial.name;
    }
    return "";
  }

 private:
  /// `; 384 of 49152 elements are wrong: [:, 760:768]`; empty where no element is wrong by itself.
  std::string wrongPlaces(const runtime::TensorList& found, int output, double tolerance) const {
    const std::string text = toText(wrongElements(found, output, tolerance));
    return text.empty() ? "" : "; " + text;
  }
  runtime::WrongElements wrongElements(const runtime::TensorList& found, int output, double tolerance) const {
    const ir::DType dtype = found.type(output).dtype;
    const bool isExact = criterion_.rule == Rule::Exact || !(ir::isFloating(dtype) || ir::isComplex(dtype));
    return runtime::wrongElements(found, reference_.eager, reference_.float64, output, tolerance, isExact);
  }

  NamedOutput named(int output) const { return {output, workload_.outputName(output)}; }

  Limit limit(int output) const {
    const ir::TensorType& type = reference_.eager.type(output);
    Limit limit = tolerances_.limit(criterion_, type.dtype, static_cast<bool>(reference_.float64), termsOf(type),
                                    runtime::hasWiderNumber(workload_, type.dtype));
    // A gradient may be 0 but for roundings of far larger numbers: softmax cancels the bias of keys, for one.
    if (criterion_.rule == Rule::Network) limit.floor = std::numeric_limits<float>::epsilon() / 2 * reference_.largestOutput;
    return limit;
  }

  /// The most elements that one output element is combined from. For f64 there is no wider reference: eager's own error counts as
  /// the result's, and may be the error of a mean over all of an argument, such as a batch norm subtracts from every element.
  double termsOf(const ir::TensorType& type) const {
    if (type.numel() == 0) return 1;
    if (type.dtype == ir::DType::F64 || type.dtype == ir::DType::C128)
      return static_cast<double>(reference_.mostArgumentElements);
    if (criterion_.isCumulative)
      return type.sizes.empty() ? 1 : static_cast<double>(*std::max_element(type.sizes.begin(), type.sizes.end()));
    return std::max(criterion_.terms, static_cast<double>(reference_.mostArgumentElements) / static_cast<double>(type.numel()));
  }

  const Reference& reference_;
  runtime::Workload& workload_;
  const Criterion& criterion_;
  const Tolerances& tolerances_;
};

double largestOf(const runtime::TensorList& outputs) {
  double largest = 0;
  for (int i = 0; i < outputs.size(); ++i)
    if (ir::isFloating(outputs.type(i).dtype))
      largest = std::max(largest, runtime::compare(outputs, outputs, {}, i, 0).rmsReference);
  return largest;
}

}  // namespace

Reference makeReference(runtime::Workload& workload) {
  workload.setChance(false);
  Reference reference{workload.runEager(), workload.runEagerInFloat64(), runtime::mostArgumentElements(workload)};
  // A form in float64 has the results of one release of ATen; another may have more.
  if (reference.float64 && reference.float64.size() != reference.eager.size()) reference.float64 = {};
  if (workload.call() == nullptr) reference.largestOutput = largestOf(reference.eager);
  workload.setChance(true);
  return reference;
}

std::vector<runtime::TensorList> differingRuns(runtime::Workload& workload, const Reference& reference) {
  constexpr size_t enough = 8;
  std::vector<runtime::TensorList> runs{workload.runEager()};
  if (runtime::bitwiseEqual(runs.front(), reference.eager)) return {};
  while (runs.size() < enough) runs.push_back(workload.runEager());
  return runs;
}

std::vector<runtime::TensorList> nearbyRuns(runtime::Workload& workload) {
  constexpr uint64_t enough = 6, apart = 1 << 16;  // seeds, of which a run takes one a tensor
  std::vector<runtime::TensorList> runs;
  workload.setChance(false);
  for (uint64_t run = 0; run < enough; ++run)
    if (runtime::TensorList outputs = workload.runEagerNearby(run * apart)) runs.push_back(std::move(outputs));
  workload.setChance(true);
  return runs;
}

Verdict check(const runtime::TensorList& outputs, const Reference& reference, runtime::Workload& workload,
              const Criterion& criterion, const Tolerances& tolerances) {
  if (outputs.size() != reference.eager.size())
    return {false, fmt::format("{} outputs, eager has {}", outputs.size(), reference.eager.size()), {}};
  if (criterion.mayReorder && workload.call() != nullptr && !runtime::asksFor(workload.call()->aten(), "sorted")) {
    Criterion sorted = criterion;
    sorted.mayReorder = false;
    const auto inOrder = [&](const runtime::TensorList& all) { return runtime::inOrder(workload.call()->aten(), all); };
    Reference ordered = reference;
    ordered.eager = inOrder(reference.eager);
    if (reference.float64) ordered.float64 = inOrder(reference.float64);
    for (runtime::TensorList& run : ordered.again) run = inOrder(run);
    return check(inOrder(outputs), ordered, workload, sorted, tolerances);
  }
  const runtime::TensorList found = criterion.anyStrides ? runtime::laidOutLike(outputs, reference.eager) : outputs;
  const Checker checker(reference, workload, criterion, tolerances);
  if (criterion.rule == Rule::Random) return checker.random(found);
  Verdict whole;
  for (int i = 0; i < found.size(); ++i) {
    const Verdict verdict = checker(found, i);
    if (!verdict.ok) return verdict;
    const bool isWorse = verdict.accuracy && (!whole.accuracy || verdict.accuracy->worstError > whole.accuracy->worstError);
    if (isWorse) whole.accuracy = verdict.accuracy;
  }
  return whole;
}

std::string findTrivialSolution(const Reference& reference, runtime::Workload& workload, const Criterion& criterion,
                                const Tolerances& tolerances) {
  constexpr int64_t few = 1 << 16, all = std::numeric_limits<int64_t>::max();
  if (criterion.rule == Rule::TypeOnly || criterion.rule == Rule::Random) return "";
  const Checker checker(reference, workload, criterion, tolerances);
  for (int i = 0; i < reference.eager.size(); ++i) {
    const int64_t elements = reference.eager.type(i).numel();
    if (elements == 0 || criterion.indices.contains(i) || criterion.workspaces.contains(i)) continue;
    std::string name = checker.passing(i, few);
    if (!name.empty() && elements > few) name = checker.passing(i, all);
    if (!name.empty()) return fmt::format("{} would pass for {}", name, workload.outputName(i));
  }
  return "";
}

}  // namespace opbench
