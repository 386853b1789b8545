#include <algorithm>

#include "inputs/operators/facts.h"
#include "inputs/random.h"

namespace inputs {
namespace {

// --- rows of weights ---

Domain rowOfArgument0(const Call& call) { return below(call.size(0, 0), call.tensor(1)); }
Domain rowOfArgument1(const Call& call) { return below(call.size(1, 0), call.tensor(2)); }
template <size_t rows>
Domain rowOfSo(const Call& call) {
  return below(call.integer(rows), call.tensor(1));
}
/// The same, or the row that has no gradient.
template <size_t rows, size_t padding>
Domain rowOfSoOrNone(const Call& call) {
  const Domain range = rowOfSo<rows>(call);
  const auto none = static_cast<int64_t>(call.number(padding, -1));
  return range.legal.hold(none) ? orNone(range, none) : range;
}

// --- bags: indices are shared out evenly to them, and every argument that says so agrees with all others ---

int64_t last(const ir::Shape& at) { return at.empty() ? 0 : at.back(); }

/// First index of each bag: `indices` shared out evenly; the last entry is their number where the offsets include it.
Domain offsets(int64_t indices, int64_t bags) {
  bags = std::max<int64_t>(bags, 1);
  return {ByPosition{[=](const ir::Shape& at, uint64_t) {
            return static_cast<int64_t>((static_cast<Int128>(last(at)) * indices + bags - 1) / bags);
          }},
          {0, indices}};
}

/// The bag of each index, for offsets as above.
Domain bagOfIndex(int64_t indices, int64_t bags) {
  indices = std::max<int64_t>(indices, 1);
  return {ByPosition{[=](const ir::Shape& at, uint64_t) {
            return static_cast<int64_t>(static_cast<Int128>(last(at)) * bags / indices);
          }},
          {0, bags - 1}};
}

/// How many indices each bag has, for offsets as above.
Domain bagSize(int64_t indices, int64_t bags) {
  Domain first = offsets(indices, bags);
  return {ByPosition{[start = std::get<ByPosition>(first.drawn).value](const ir::Shape& at, uint64_t random) {
            return start({last(at) + 1}, random) - start({last(at)}, random);
          }},
          first.legal};
}

/// `(weight, indices, offsets, ...)`, where a flag may say that the last offset is the number of indices.
Domain bagOffsets(const Call& call) {
  constexpr size_t includesLast = 7;
  return offsets(call.tensor(1).numel(), call.tensor(2).numel() - (call.flag(includesLast) ? 1 : 0));
}
/// `(grad, weight, indices, offsets, offset2bag, ...)`.
Domain perSampleOffsets(const Call& call) { return offsets(call.tensor(2).numel(), call.tensor(3).numel()); }
Domain perSampleBag(const Call& call) { return bagOfIndex(call.tensor(2).numel(), call.size(0, 0)); }
/// `(grad, indices, ...)`.
Domain backwardOffsets(const Call& call) { return offsets(call.tensor(1).numel(), call.tensor(2).numel()); }
Domain backwardBag(const Call& call) { return bagOfIndex(call.tensor(1).numel(), call.size(0, 0)); }
Domain backwardBagSize(const Call& call) { return bagSize(call.tensor(1).numel(), call.size(0, 0)); }
/// The row that holds a bag's maximum, or -1 of an empty bag; the arguments say how many rows there are, and which of them counts
/// as none.
template <size_t argument, size_t rows, size_t padding>
Domain maximumRow(const Call& call) {
  const int64_t bound = call.integer(rows), ignored = static_cast<int64_t>(call.number(padding, -1));
  const auto size = std::get<ByPosition>(backwardBagSize(call).drawn).value;
  Domain range = below(bound, call.tensor(argument));
  range.legal.least = -1;
  range.drawn = ByPosition{[=](const ir::Shape& at, uint64_t random) {
    const bool isEmpty = at.empty() || size({at.front()}, random) == 0;
    const int64_t row = integerBelow(random, bound);
    return isEmpty ? -1 : row == ignored ? (row + 1) % bound : row;
  }};
  return range;
}

}  // namespace

Family embeddingFacts() {
  static const OperatorFacts rows[] = {
      {"embedding", {{1, rowOfArgument0}}, Judgement::ofMoves(), {{"weight", Reads::NoMoreThanOutputs}}},
      {"embedding_renorm", {{1, rowOfArgument0}}},
      {"embedding_bag _embedding_bag _embedding_bag_forward_only", {{1, rowOfArgument0}, {2, bagOffsets}}},
      {.operators = "_embedding_bag", .judged = {{.workspaces = {2}}}},
      {"_embedding_bag_per_sample_weights_backward", {{2, rowOfArgument1}, {3, perSampleOffsets}, {4, perSampleBag}}},
      {"_embedding_bag_dense_backward", {{1, rowOfSo<5>}, {2, backwardBag}, {3, backwardBagSize}, {4, maximumRow<4, 5, 9>}}},
      {"_embedding_bag_backward",
       {{1, rowOfSo<6>}, {2, backwardOffsets}, {3, backwardBag}, {4, backwardBagSize}, {5, maximumRow<5, 6, 11>}}},
      {"_embedding_bag_sparse_backward", {{1, rowOfSo<5>}, {2, backwardOffsets}, {3, backwardBag}, {4, backwardBagSize}}},
      {"embedding_dense_backward embedding_sparse_backward embedding_backward", {{1, rowOfSoOrNone<2, 3>}}},
  };
  return rows;
}

}  // namespace inputs
