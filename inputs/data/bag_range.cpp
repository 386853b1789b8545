#include "inputs/data/bag_range.h"

#include <algorithm>

#include "inputs/random.h"

namespace inputs {
namespace {

int64_t last(const ir::Shape& at) { return at.empty() ? 0 : at.back(); }

/// First index of each bag: `indices` shared out evenly; the last entry is their number where the offsets include it.
IndexRange offsets(int64_t indices, int64_t bags) {
  bags = std::max<int64_t>(bags, 1);
  return {ByPosition{[=](const ir::Shape& at, uint64_t) {
            return static_cast<int64_t>((static_cast<Int128>(last(at)) * indices + bags - 1) / bags);
          }},
          {0, indices}};
}

/// The bag of each index, for offsets as above.
IndexRange bagOfIndex(int64_t indices, int64_t bags) {
  indices = std::max<int64_t>(indices, 1);
  return {ByPosition{[=](const ir::Shape& at, uint64_t) {
            return static_cast<int64_t>(static_cast<Int128>(last(at)) * bags / indices);
          }},
          {0, bags - 1}};
}

/// How many indices each bag has, for offsets as above.
IndexRange bagSize(int64_t indices, int64_t bags) {
  IndexRange first = offsets(indices, bags);
  return {ByPosition{[start = std::get<ByPosition>(first.drawn).value](const ir::Shape& at, uint64_t random) {
            return start({last(at) + 1}, random) - start({last(at)}, random);
          }},
          first.legal};
}

}  // namespace

template <size_t includesLast>
IndexRange bagOffsets(const Call& call) {
  return offsets(call.tensor(1).numel(), call.tensor(2).numel() - (call.flag(includesLast) ? 1 : 0));
}
IndexRange perSampleOffsets(const Call& call) { return offsets(call.tensor(2).numel(), call.tensor(3).numel()); }
IndexRange perSampleBag(const Call& call) { return bagOfIndex(call.tensor(2).numel(), call.size(0, 0)); }
IndexRange backwardOffsets(const Call& call) { return offsets(call.tensor(1).numel(), call.tensor(2).numel()); }
IndexRange backwardBag(const Call& call) { return bagOfIndex(call.tensor(1).numel(), call.size(0, 0)); }
IndexRange backwardBagSize(const Call& call) { return bagSize(call.tensor(1).numel(), call.size(0, 0)); }
template <size_t argument, size_t rows, size_t padding>
IndexRange maximumRow(const Call& call) {
  const int64_t bound = call.integer(rows), ignored = static_cast<int64_t>(call.number(padding, -1));
  const auto size = std::get<ByPosition>(backwardBagSize(call).drawn).value;
  IndexRange range = below(bound, call.tensor(argument));
  range.legal.least = -1;
  range.drawn = ByPosition{[=](const ir::Shape& at, uint64_t random) {
    const bool isEmpty = at.empty() || size({at.front()}, random) == 0;
    const int64_t row = integerBelow(random, bound);
    return isEmpty ? -1 : row == ignored ? (row + 1) % bound : row;
  }};
  return range;
}

template IndexRange bagOffsets<7>(const Call&);
template IndexRange maximumRow<4, 5, 9>(const Call&);
template IndexRange maximumRow<5, 6, 11>(const Call&);

}  // namespace inputs
