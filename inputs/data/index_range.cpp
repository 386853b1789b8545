#include "inputs/data/index_range.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "inputs/data/bag_range.h"
#include "inputs/data/class_range.h"
#include "inputs/data/window_range.h"
#include "inputs/random.h"

namespace inputs {
namespace {

/// Indices where a negative one counts from the end.
IndexRange fromEnd(IndexRange range) {
  range.legal.least = -range.legal.most - 1;
  return range;
}

/// Lengths of parts of something so long, all of it where they are drawn.
IndexRange length(int64_t whole) {
  return {ByPosition{[whole](const ir::Shape&, uint64_t) { return whole; }}, {0, whole}};
}

/// The same, drawn by position.
IndexRange at(IndexRange range, std::function<int64_t(const ir::Shape& at, uint64_t random)> value) {
  range.drawn = ByPosition{std::move(value)};
  return range;
}

/// Where the values of a mask or of probabilities are not indices, whatever the argument's name.
IndexRange anything(ValueRange drawn = Plain{}) { return {std::move(drawn), {}}; }

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

// --- rows of weights ---

IndexRange rowOfArgument0(const Call& call) { return below(call.size(0, 0), call.tensor(1)); }
IndexRange rowOfArgument1(const Call& call) { return below(call.size(1, 0), call.tensor(2)); }
template <size_t rows>
IndexRange rowOfSo(const Call& call) {
  return below(call.integer(rows), call.tensor(1));
}
/// The same, or the row that has no gradient.
template <size_t rows, size_t padding>
IndexRange rowOfSoOrNone(const Call& call) {
  const IndexRange range = rowOfSo<rows>(call);
  const auto none = static_cast<int64_t>(call.number(padding, -1));
  return range.legal.hold(none) ? orNone(range, none) : range;
}

// --- gather, scatter and friends: (self, dim, index, ...) ---

IndexRange alongDim(const Call& call) { return below(call.sizeAlong(0, 1), call.tensor(2)); }
IndexRange alongDimFromEnd(const Call& call) { return fromEnd(alongDim(call)); }
IndexRange alongDimOfSelf(const Call& call) { return below(call.sizeAlong(1, 2), call.tensor(3)); }
IndexRange alongDimOfInput(const Call& call) { return below(call.sizeAlong(1, 3), call.tensor(2)); }
IndexRange alongLastDimOrAny(const Call& call) {
  const bool hasDim = call.isInteger(2);
  return below(hasDim ? call.sizeAlong(0, 2) : call.tensor(0).numel(), call.tensor(1));
}
template <size_t sizes>
IndexRange alongDimOfSizes(const Call& call) {
  const std::vector<int64_t> extents = call.integers(sizes);
  const int64_t dim = call.integer(sizes == 1 ? 2 : 1), rank = std::ssize(extents);
  const ir::TensorType& indices = call.tensor(sizes == 1 ? 3 : 2);
  if (dim < -rank || dim >= rank) return below(1, indices);
  return below(extents[static_cast<size_t>(dim < 0 ? dim + rank : dim)], indices);
}

/// No index twice along the dimension that is written to.
IndexRange distinctAlongDim(const Call& call) {
  int64_t bound = call.sizeAlong(0, 1), dim = call.integer(1), rank = call.tensor(2).rank();
  const IndexRange any = below(bound, call.tensor(2));
  if (rank == 0) return any;
  size_t along = static_cast<size_t>(dim < 0 ? dim + rank : dim);
  if (along >= static_cast<size_t>(rank)) along = 0;
  return at(any, [=](const ir::Shape& at, uint64_t) {
    ir::Shape others = at;
    others[along] = 0;
    uint64_t start = std::accumulate(others.begin(), others.end(), uint64_t{1}, randomBits);
    return scattered(static_cast<Int128>(at[along]) + integerBelow(start, bound), bound);
  });
}

IndexRange anyElement(const Call& call) { return fromEnd(below(call.tensor(0).numel(), call.tensor(1))); }

/// `put`: distinct elements unless it accumulates.
IndexRange putElement(const Call& call) {
  const IndexRange any = anyElement(call);
  if (call.flag(3)) return any;
  return at(any, [bound = call.tensor(0).numel(), sizes = call.tensor(1).sizes](const ir::Shape& at, uint64_t) {
    return scattered(linear(at, sizes), bound);
  });
}

/// A mask that has no more trues than there are values for, evenly spread over what it is broadcast to.
IndexRange scatterMask(const Call& call) {
  const ir::TensorType& mask = call.tensor(1);
  const int64_t cells = std::max<int64_t>(mask.numel(), 1), copies = std::max<int64_t>(call.tensor(0).numel() / cells, 1);
  const int64_t trues = std::min(cells / 2, call.tensor(2).numel() / copies);
  return anything(ByPosition{[=, sizes = mask.sizes](const ir::Shape& at, uint64_t) {
    const auto before = [&](int64_t cell) { return static_cast<int64_t>(static_cast<Int128>(cell) * trues / cells); };
    return before(linear(at, sizes) + 1) - before(linear(at, sizes));
  }});
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

IndexRange readIndex(const Call& call) {
  if (isMask(indexTensor(call))) return anything();
  return fromEnd(below(call.size(0, dimensionsBefore(call, call.item())), indexTensor(call)));
}

/// A mask with as many trues as there are values to put, evenly spread.
IndexRange putMask(const Call& call) {
  const ir::TensorType &mask = indexTensor(call), &values = call.tensor(2);
  int64_t after = call.tensor(0).rank() - dimensionsBefore(call, call.item() + 1), dim = values.rank() - 1 - after;
  int64_t cells = mask.numel(), trues = dim < 0 ? 1 : values.sizes[dim];
  if (trues == 1) return anything();
  ir::Shape sizes = mask.sizes;
  return anything(ByPosition{[=](const ir::Shape& at, uint64_t) {
    auto before = [&](int64_t cell) { return static_cast<int64_t>(static_cast<Int128>(cell) * trues / cells); };
    int64_t cell = linear(at, sizes);
    return before(cell + 1) - before(cell);
  }});
}

/// Without accumulation the tuples of indices differ: index tensors of one shape count through their dimensions like the
/// digits of a number.
IndexRange writtenIndex(const Call& call) {
  if (isMask(indexTensor(call))) return putMask(call);
  const IndexRange any = readIndex(call);
  if (call.flag(3)) return any;
  int64_t later = 1;
  for (size_t i = call.item() + 1; i < call.list(1).items.size(); ++i) {
    const ir::TensorType* other = call.list(1).items[i].as<ir::TensorType>();
    if (!other || other->sizes != indexTensor(call).sizes || isMask(*other)) continue;
    bool overflows = __builtin_mul_overflow(later, call.size(0, dimensionsBefore(call, i)), &later);
    if (overflows || later <= 0) return any;
  }
  ir::Shape sizes = indexTensor(call).sizes;
  return at(any, [=, bound = std::get<Below>(any.drawn).bound](const ir::Shape& at, uint64_t) {
    return scattered(linear(at, sizes) / later, bound);
  });
}

// --- values that are stored at indices without accumulation ---

/// One number everywhere if two of the values may meet in an element, so that the result does not depend on the order of the
/// writes.
IndexRange equalIf(bool mayMeet) {
  constexpr int64_t number = 3;
  return anything(mayMeet ? ValueRange(ByPosition{[](const ir::Shape&, uint64_t) { return number; }}) : Plain{});
}

bool isRepeated(std::vector<int64_t> given) {
  std::sort(given.begin(), given.end());
  return std::adjacent_find(given.begin(), given.end()) != given.end();
}

IndexRange valueAlongDim(const Call& call) {
  const int64_t rank = call.tensor(2).rank(), dim = call.integer(1) + (call.integer(1) < 0 ? rank : 0);
  const int64_t stored = call.size(2, dim >= 0 && dim < rank ? dim : 0);
  return equalIf(isRepeated(call.given(2)) || stored > call.sizeAlong(0, 1));
}

IndexRange putValue(const Call& call) {
  return equalIf(!call.flag(3) && (isRepeated(call.given(1)) || call.tensor(1).numel() > call.tensor(0).numel()));
}

/// Index tensors of one shape are drawn as digits: each value has an element of its own where there are as many numbers.
IndexRange valueAtIndices(const Call& call) {
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

/// Elements of an image that are stored at places of a larger one.
template <size_t dims>
IndexRange unpooledValue(const Call& call) {
  const auto numel = [](const ir::Shape& sizes, size_t count) {
    const auto last = sizes.end() - static_cast<std::ptrdiff_t>(std::min(count, sizes.size()));
    return std::accumulate(last, sizes.end(), int64_t{1}, std::multiplies<>());
  };
  return equalIf(isRepeated(call.given(1)) || numel(call.tensor(1).sizes, dims) > numel(call.integers(2), dims));
}

// --- sequences of classes: (log_probs [T, N, C], targets [N, S] or one after the other, input_lengths, target_lengths) ---

template <size_t logProbs>
IndexRange classOfSequence(const Call& call) {
  return below(call.size(logProbs, -1), call.tensor(logProbs + 1));
}
template <size_t logProbs>
IndexRange inputLength(const Call& call) {
  return length(call.size(logProbs, 0));
}
/// As long as the targets' rows, or of targets one after the other as long as each other.
template <size_t logProbs>
IndexRange targetLength(const Call& call) {
  const ir::TensorType &targets = call.tensor(logProbs + 1), &lengths = call.tensor(logProbs + 3);
  return length(targets.rank() > 1 ? targets.sizes.back() : targets.numel() / std::max<int64_t>(lengths.numel(), 1));
}

// --- factors of matrices ---

/// The row that each row changes places with: itself or one below, from 1.
template <size_t factors>
IndexRange pivot(const Call& call) {
  const int64_t rows = call.size(factors, -2);
  return {ByPosition{[rows](const ir::Shape& at, uint64_t random) {
            const int64_t row = at.empty() ? 0 : std::min(at.back(), rows - 1);
            return row + 1 + integerBelow(random, std::max<int64_t>(rows - row, 1));
          }},
          {1, rows}};
}

// --- others ---

IndexRange sparseCoordinate(const Call& call) {
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
IndexRange ascending(const Call&) {
  return anything(ByPosition{[](const ir::Shape& at, uint64_t) { return (at.empty() ? 0 : at.back()) - 4; }});
}
/// The order of a sequence that is sorted already.
IndexRange order(const Call& call) {
  return at(below(call.size(0, -1), call.tensor(5)), [](const ir::Shape& at, uint64_t) { return at.empty() ? 0 : at.back(); });
}

IndexRange smallCount(const Call&) { return {Below{4}, {0, std::numeric_limits<int64_t>::max()}}; }

struct IndexRow {
  std::string_view operators;  ///< names without `aten.`, overload and the underscore of in-place forms
  size_t argument;
  IndexRange (*range)(const Call&);
};

constexpr IndexRow indexRows[] = {
    {"embedding embedding_renorm embedding_bag _embedding_bag _embedding_bag_forward_only", 1, rowOfArgument0},
    {"embedding_bag _embedding_bag _embedding_bag_forward_only", 2, bagOffsets<7>},
    {"_embedding_bag_per_sample_weights_backward", 2, rowOfArgument1},
    {"_embedding_bag_per_sample_weights_backward", 3, perSampleOffsets},
    {"_embedding_bag_per_sample_weights_backward", 4, perSampleBag},
    {"_embedding_bag_dense_backward", 1, rowOfSo<5>},
    {"_embedding_bag_backward", 1, rowOfSo<6>},
    {"_embedding_bag_sparse_backward", 1, rowOfSo<5>},
    {"_embedding_bag_backward _embedding_bag_sparse_backward", 2, backwardOffsets},
    {"_embedding_bag_dense_backward", 2, backwardBag},
    {"_embedding_bag_backward _embedding_bag_sparse_backward", 3, backwardBag},
    {"_embedding_bag_dense_backward", 3, backwardBagSize},
    {"_embedding_bag_backward _embedding_bag_sparse_backward", 4, backwardBagSize},
    {"_embedding_bag_dense_backward", 4, maximumRow<4, 5, 9>},
    {"_embedding_bag_backward", 5, maximumRow<5, 6, 11>},
    {"embedding_dense_backward embedding_sparse_backward embedding_backward", 1, rowOfSoOrNone<2, 3>},
    {"gather _gather_sparse_backward index_select index_add index_reduce scatter_add scatter_reduce", 2, alongDim},
    {"index_fill", 2, alongDimFromEnd},
    {"scatter index_copy", 2, distinctAlongDim},
    {"scatter index_copy", 3, valueAlongDim},
    {"gather_backward", 3, alongDimOfSelf},
    {"index_select_backward", 3, alongDimOfSizes<1>},
    {"value_selecting_reduction_backward", 2, alongDimOfSizes<3>},
    {"cummaxmin_backward", 2, alongDimOfInput},
    {"take_along_dim", 1, alongLastDimOrAny},
    {"take", 1, anyElement},
    {"put", 1, putElement},
    {"put", 2, putValue},
    {"masked_scatter", 1, scatterMask},
    {"index _unsafe_index", 1, readIndex},
    {"index_put _index_put_impl _unsafe_index_put", 1, writtenIndex},
    {"index_put _index_put_impl _unsafe_index_put", 2, valueAtIndices},
    {"nll_loss nll_loss_nd nll_loss2d nll_loss_forward nll_loss2d_forward cross_entropy_loss", 1, classOrNone<0, 1, 4>},
    {"nll_loss_backward nll_loss2d_backward", 2, classOrNone<1, 2, 5>},
    {"nll_loss_backward nll_loss2d_backward", 6, totalWeight},
    {"multi_margin_loss", 1, classOfMargin<0, 1>},
    {"multi_margin_loss_backward", 2, classOfMargin<1, 2>},
    {"multilabel_margin_loss multilabel_margin_loss_forward", 1, classesOfMargin<0, 1>},
    {"multilabel_margin_loss_backward", 2, classesOfMargin<1, 2>},
    {"_ctc_loss ctc_loss", 1, classOfSequence<0>},
    {"_ctc_loss ctc_loss", 2, inputLength<0>},
    {"_ctc_loss ctc_loss", 3, targetLength<0>},
    {"_ctc_loss_backward", 2, classOfSequence<1>},
    {"_ctc_loss_backward", 3, inputLength<1>},
    {"_ctc_loss_backward", 4, targetLength<1>},
    {"lu_unpack linalg_lu_solve", 1, pivot<0>},
    {"lu_solve", 2, pivot<1>},
    {"one_hot", 0, encodedClass},
    {"max_pool2d_with_indices_backward", 7, maxPoolIndex<2>},
    {"max_pool3d_with_indices_backward", 7, maxPoolIndex<3>},
    {"adaptive_max_pool2d_backward", 2, adaptiveMaxPoolIndex<2>},
    {"adaptive_max_pool3d_backward", 2, adaptiveMaxPoolIndex<3>},
    {"fractional_max_pool2d_backward", 4, inPlane<2>},
    {"fractional_max_pool3d_backward", 4, inPlane<3>},
    {"max_unpool2d", 0, unpooledValue<2>},
    {"max_unpool3d", 0, unpooledValue<3>},
    {"max_unpool2d", 1, unpooledIndex<2>},
    {"max_unpool3d", 1, unpooledIndex<3>},
    {"_sparse_coo_tensor_with_dims_and_tensors", 3, sparseCoordinate},
    {"searchsorted", 0, ascending},
    {"searchsorted", 5, order},
    {"bucketize", 1, ascending},
    {"bincount repeat_interleave", 0, smallCount},
};

}  // namespace

IndexRange below(int64_t bound, const ir::TensorType& indices) {
  if (bound <= 0 && indices.numel() > 0)
    ir::fail(ir::ErrorKind::Unsupported, "no index is valid in a dimension of size {}", bound);
  return {Below{std::max<int64_t>(bound, 1)}, {0, bound - 1}};
}

std::optional<IndexRange> indexRange(const Call& call, size_t argument) {
  for (const IndexRow& row : indexRows)
    if (row.argument == argument && call.isOneOf(row.operators)) return row.range(call);
  return std::nullopt;
}

}  // namespace inputs
