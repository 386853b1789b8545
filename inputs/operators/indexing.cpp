#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "inputs/operators/facts.h"
#include "inputs/random.h"

namespace inputs {
namespace {

int64_t linear(const ir::Shape& at, const ir::Shape& sizes) {
  int64_t position = 0;
  for (size_t i = 0; i < at.size(); ++i) position = position * sizes[i] + at[i];
  return position;
}

/// The `i`-th of `bound` integers in a fixed scattered order that repeats none of them.
int64_t scattered(Int128 i, int64_t bound) {
  int64_t step = std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(bound) * 0.6180339887));
  while (std::gcd(step, bound) != 1) ++step;
  return static_cast<int64_t>(i % bound * step % bound);
}

// --- gather, scatter and friends: (self, dim, index, ...) ---

Domain alongDimOfSelf(const Call& call) { return below(call.sizeAlong(1, 2), call.tensor(3)); }
Domain alongLastDimOrAny(const Call& call) {
  const bool hasDim = call.isInteger(2);
  return below(hasDim ? call.sizeAlong(0, 2) : call.tensor(0).numel(), call.tensor(1));
}
template <size_t sizes>
Domain alongDimOfSizes(const Call& call) {
  const std::vector<int64_t> extents = call.integers(sizes);
  const int64_t dim = call.integer(sizes == 1 ? 2 : 1), rank = std::ssize(extents);
  const ir::TensorType& indices = call.tensor(sizes == 1 ? 3 : 2);
  if (dim < -rank || dim >= rank) return below(1, indices);
  return below(extents[static_cast<size_t>(dim < 0 ? dim + rank : dim)], indices);
}

/// No index twice along the dimension that is written to.
Domain distinctAlongDim(const Call& call) {
  int64_t bound = call.sizeAlong(0, 1), dim = call.integer(1), rank = call.tensor(2).rank();
  const Domain any = below(bound, call.tensor(2));
  if (rank == 0) return any;
  size_t along = static_cast<size_t>(dim < 0 ? dim + rank : dim);
  if (along >= static_cast<size_t>(rank)) along = 0;
  return drawnBy(any, [=](const ir::Shape& at, uint64_t) {
    ir::Shape others = at;
    others[along] = 0;
    uint64_t start = std::accumulate(others.begin(), others.end(), uint64_t{1}, randomBits);
    return scattered(static_cast<Int128>(at[along]) + integerBelow(start, bound), bound);
  });
}

Domain anyElement(const Call& call) { return fromEnd(below(call.tensor(0).numel(), call.tensor(1))); }

/// `put`: distinct elements unless it accumulates.
Domain putElement(const Call& call) {
  const Domain any = anyElement(call);
  if (call.flag(3)) return any;
  return drawnBy(any, [bound = call.tensor(0).numel(), sizes = call.tensor(1).sizes](const ir::Shape& at, uint64_t) {
    return scattered(linear(at, sizes), bound);
  });
}

/// A mask that has no more trues than there are values for, evenly spread over what it is broadcast to.
Domain scatterMask(const Call& call) {
  const ir::TensorType& mask = call.tensor(1);
  const int64_t cells = std::max<int64_t>(mask.numel(), 1), copies = std::max<int64_t>(call.tensor(0).numel() / cells, 1);
  const int64_t trues = std::min(cells / 2, call.tensor(2).numel() / copies);
  return {ByPosition{[=, sizes = mask.sizes](const ir::Shape& at, uint64_t) {
    const auto before = [&](int64_t cell) { return static_cast<int64_t>(static_cast<Int128>(cell) * trues / cells); };
    return before(linear(at, sizes) + 1) - before(linear(at, sizes));
  }}};
}

// --- index and index_put: (self, [indices...], values, accumulate) ---

bool isMask(const ir::TensorType& type) { return type.dtype == ir::DType::Bool || type.dtype == ir::DType::U8; }

/// Dimensions of argument 0 that the first `count` indices stand for; a mask stands for as many as it has.
int64_t dimensionsBefore(const Call& call, size_t count) {
  const ir::List& indices = call.list(1);
  int64_t dims = 0;
  for (size_t i = 0; i < count; ++i) {
    const ir::TensorType* type = indices.items[i].as<ir::TensorType>();
    dims += type && isMask(*type) ? type->rank() : 1;
  }
  return dims;
}

const ir::TensorType& indexTensor(const Call& call) { return *call.list(1).items.at(call.item()).as<ir::TensorType>(); }

Domain readIndex(const Call& call) {
  if (isMask(indexTensor(call))) return {};
  return fromEnd(below(call.size(0, dimensionsBefore(call, call.item())), indexTensor(call)));
}

/// A mask with as many trues as there are values to put, evenly spread; any where masks have more dimensions than argument 0,
/// which ATen refuses.
Domain putMask(const Call& call) {
  const ir::TensorType &mask = indexTensor(call), &values = call.tensor(2);
  int64_t after = call.tensor(0).rank() - dimensionsBefore(call, call.item() + 1), dim = values.rank() - 1 - after;
  int64_t cells = mask.numel(), trues = dim < 0 || after < 0 ? 1 : values.sizes[dim];
  if (trues == 1) return {};
  ir::Shape sizes = mask.sizes;
  return {ByPosition{[=](const ir::Shape& at, uint64_t) {
    auto before = [&](int64_t cell) { return static_cast<int64_t>(static_cast<Int128>(cell) * trues / cells); };
    int64_t cell = linear(at, sizes);
    return before(cell + 1) - before(cell);
  }}};
}

/// Without accumulation the tuples of indices differ: index tensors of one shape count through their dimensions like the
/// digits of a number.
Domain writtenIndex(const Call& call) {
  if (isMask(indexTensor(call))) return putMask(call);
  const Domain any = readIndex(call);
  if (call.flag(3)) return any;
  int64_t later = 1;
  for (size_t i = call.item() + 1; i < call.list(1).items.size(); ++i) {
    const ir::TensorType* other = call.list(1).items[i].as<ir::TensorType>();
    if (!other || other->sizes != indexTensor(call).sizes || isMask(*other)) continue;
    bool overflows = __builtin_mul_overflow(later, call.size(0, dimensionsBefore(call, i)), &later);
    if (overflows || later <= 0) return any;
  }
  ir::Shape sizes = indexTensor(call).sizes;
  return drawnBy(any, [=, bound = std::get<Below>(any.drawn).bound](const ir::Shape& at, uint64_t) {
    return scattered(linear(at, sizes) / later, bound);
  });
}

// --- values that are stored at indices without accumulation ---

Domain valueAlongDim(const Call& call) {
  const int64_t rank = call.tensor(2).rank(), dim = call.integer(1) + (call.integer(1) < 0 ? rank : 0);
  const int64_t stored = call.size(2, dim >= 0 && dim < rank ? dim : 0);
  return equalIf(isRepeated(call.given(2)) || stored > call.sizeAlong(0, 1));
}

Domain putValue(const Call& call) {
  return equalIf(!call.flag(3) && (isRepeated(call.given(1)) || call.tensor(1).numel() > call.tensor(0).numel()));
}

/// Index tensors of one shape are drawn as digits: each value has an element of its own where there are as many numbers.
Domain valueAtIndices(const Call& call) {
  const ir::List& indices = call.list(1);
  std::map<ir::Shape, Int128> numbers;
  bool mayMeet = false;
  for (size_t i = 0; i < indices.items.size(); ++i) {
    const ir::TensorType* type = indices.items[i].as<ir::TensorType>();
    if (!type || isMask(*type)) continue;
    Int128& most = numbers.try_emplace(type->sizes, 1).first->second;
    most = std::min<Int128>(most * call.size(0, dimensionsBefore(call, i)), std::numeric_limits<int64_t>::max());
    mayMeet = mayMeet || isRepeated(indices.items[i].elements);
  }
  for (const auto& [sizes, most] : numbers) mayMeet = mayMeet || ir::TensorType::contiguous(ir::DType::I64, sizes).numel() > most;
  return equalIf(!call.flag(3) && mayMeet);
}

Domain sparseCoordinate(const Call& call) {
  std::vector<int64_t> sizes = call.integers(2);
  if (sizes.empty()) sizes = {1};
  const int64_t largest = *std::max_element(sizes.begin(), sizes.end());
  return {ByPosition{[=](const ir::Shape& at, uint64_t random) {
            return integerBelow(random,
                                std::max<int64_t>(1, sizes[std::min<size_t>(at.empty() ? 0 : at.front(), sizes.size() - 1)]));
          }},
          {0, largest - 1}};
}

/// Sorted along the last dimension.
Domain ascending(const Call&) {
  return {ByPosition{[](const ir::Shape& at, uint64_t) { return (at.empty() ? 0 : at.back()) - 4; }}};
}
/// The order of a sequence that is sorted already.
Domain order(const Call& call) {
  return drawnBy(below(call.size(0, -1), call.tensor(5)),
                 [](const ir::Shape& at, uint64_t) { return at.empty() ? 0 : at.back(); });
}

Domain smallCount(const Call&) { return {Below{4}, {0, std::numeric_limits<int64_t>::max()}}; }

/// A class below the number of classes, which is argument 1.
Domain encodedClass(const Call& call) {
  const auto classes = static_cast<int64_t>(call.number(1, -1));
  if (classes > 0) return below(classes, call.tensor(0));
  return {Below{16}, {0, std::numeric_limits<int64_t>::max()}};
}

}  // namespace

Family indexingFacts() {
  static const OperatorFacts rows[] = {
      {"gather index_select", {{2, alongDim}}, Judgement::ofMoves(), {{"self", Reads::NoMoreThanOutputs}}},
      {"_gather_sparse_backward index_add index_reduce scatter_reduce", {{2, alongDim}}},
      // A thousand of them may meet in one element, one after the other: what cancels in between is lost.
      {"scatter_add", {{0, Tame{}}, {2, alongDim}, {3, Uniform{-4, 4}}}},
      {"index_fill", {{2, [](const Call& call) { return fromEnd(alongDim(call)); }}}, Judgement::ofMoves()},
      {"index_copy", {{2, distinctAlongDim}, {3, valueAlongDim}}, Judgement::ofMoves()},
      {"scatter", {{2, distinctAlongDim}, {3, valueAlongDim}}},
      {.operators = "scatter.src scatter.value", .judged = Judgement::ofMoves()},
      // Only the elements that others name are changed in place.
      {.operators = "index_put_ _index_put_impl_ put_ index_add_ index_copy_ index_fill_ index_reduce_ scatter_ scatter_add_ "
                    "scatter_reduce_",
       .reads = {{"self", Reads::NoMoreThanOthers}}},
      {"gather_backward", {{3, alongDimOfSelf}}},
      {"index_select_backward", {{3, alongDimOfSizes<1>}}},
      {"value_selecting_reduction_backward", {{2, alongDimOfSizes<3>}}},
      {"take_along_dim", {{1, alongLastDimOrAny}}},
      {"take", {{1, anyElement}}},
      {"put", {{1, putElement}, {2, putValue}}},
      {"masked_scatter", {{1, scatterMask}}, Judgement::ofMoves()},
      {.operators = "masked_select", .judged = Judgement::ofMoves()},
      {"index", {{1, readIndex}}, Judgement::ofMoves(), {{"self", Reads::NoMoreThanOutputs}}},
      {"_unsafe_index", {{1, readIndex}}},
      {"index_put _index_put_impl _unsafe_index_put", {{1, writtenIndex}, {2, valueAtIndices}}},
      {"one_hot", {{0, encodedClass}}, Judgement::ofMoves()},
      {"_sparse_coo_tensor_with_dims_and_tensors", {{3, sparseCoordinate}}},
      {"searchsorted", {{0, ascending}, {5, order}}},
      {"bucketize", {{1, ascending}}},
      {"bincount repeat_interleave", {{0, smallCount}}},
  };
  return rows;
}

}  // namespace inputs
