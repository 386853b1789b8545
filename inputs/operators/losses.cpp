#include <algorithm>

#include "inputs/operators/facts.h"

namespace inputs {
namespace {

// --- classes: (input, target, ...), whose places the numbers are ---

Domain classOf(const Call& call, size_t input, size_t target) {
  if (!ir::isIntegral(call.tensor(target).dtype)) return {Uniform{0, 1}, {}};
  return below(call.size(input, call.tensor(input).rank() == 1 ? 0 : 1), call.tensor(target));
}
/// A class, or the number that stands for none, which the argument `ignored` says.
template <size_t input, size_t target, size_t ignored>
Domain classOrNone(const Call& call) {
  Domain range = classOf(call, input, target);
  range.legal.other = static_cast<int64_t>(call.number(ignored, -100));
  return orNone(range, *range.legal.other);
}
template <size_t input, size_t target>
Domain classOfMargin(const Call& call) {
  return classOf(call, input, target);
}
/// Classes up to the first -1.
template <size_t input, size_t target>
Domain classesOfMargin(const Call& call) {
  Domain range = below(call.size(input, -1), call.tensor(target));
  range.legal.other = -1;
  return range;
}
/// The sum of the targets' weights, as if all were 1.
Domain totalWeight(const Call& call) {
  int64_t targets = std::max<int64_t>(call.tensor(2).numel(), 1);
  return {ByPosition{[=](const ir::Shape&, uint64_t) { return targets; }}, {}};
}

// --- sequences of classes: (log_probs [T, N, C], targets [N, S] or one after the other, input_lengths, target_lengths) ---

/// Lengths of parts of something so long, all of it where they are drawn.
Domain length(int64_t whole) {
  return {ByPosition{[whole](const ir::Shape&, uint64_t) { return whole; }}, {0, whole}};
}

template <size_t logProbs>
Domain classOfSequence(const Call& call) {
  return below(call.size(logProbs, -1), call.tensor(logProbs + 1));
}
template <size_t logProbs>
Domain inputLength(const Call& call) {
  return length(call.size(logProbs, 0));
}
/// As long as the targets' rows, or of targets one after the other as long as each other.
template <size_t logProbs>
Domain targetLength(const Call& call) {
  const ir::TensorType &targets = call.tensor(logProbs + 1), &lengths = call.tensor(logProbs + 3);
  return length(targets.rank() > 1 ? targets.sizes.back() : targets.numel() / std::max<int64_t>(lengths.numel(), 1));
}

}  // namespace

Family lossFacts() {
  static const OperatorFacts rows[] = {
      {"nll_loss nll_loss_nd nll_loss2d nll_loss_forward nll_loss2d_forward cross_entropy_loss", {{1, classOrNone<0, 1, 4>}}},
      {.operators = "nll_loss_backward nll_loss2d_backward",
       .domains = {{2, classOrNone<1, 2, 5>}, {6, totalWeight}},
       .reads = {{"self", Reads::Nothing}}},
      {.operators = "nll_loss_forward nll_loss2d_forward", .reads = {{"self", Reads::OneEach}}},
      {"multi_margin_loss", {{1, classOfMargin<0, 1>}}},
      {"multi_margin_loss_backward", {{2, classOfMargin<1, 2>}}},
      {"multilabel_margin_loss multilabel_margin_loss_forward", {{1, classesOfMargin<0, 1>}}},
      // Eager asks of argument 4 on CPUs whether it is 0, on CUDA whether it is less than 1.
      {"multilabel_margin_loss_backward", {{2, classesOfMargin<1, 2>}, {4, Below{2}}}},
      {"_ctc_loss ctc_loss", {{1, classOfSequence<0>}, {2, inputLength<0>}, {3, targetLength<0>}}},
      {"_ctc_loss_backward", {{2, classOfSequence<1>}, {3, inputLength<1>}, {4, targetLength<1>}}},
      // Memory for the backward pass, which libraries do not write all of.
      {.operators = "_ctc_loss nll_loss2d_forward", .judged = {{.workspaces = {1}}}},
      {"binary_cross_entropy", {{0, probability}, {1, probability}}},
      {"binary_cross_entropy_backward", {{1, probability}, {2, probability}}},
      {"kl_div", {{1, probability}}},
  };
  return rows;
}

}  // namespace inputs
