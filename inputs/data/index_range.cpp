#include "inputs/data/index_range.h"

#include <algorithm>
#include <numeric>

#include "inputs/data/random.h"

namespace inputs {
namespace {

ValueRange below(int64_t bound, const Call& call, size_t argument) {
  if (bound <= 0 && call.tensor(argument).numel() > 0)
    ir::fail(ir::ErrorKind::Unsupported, "no index is valid in a dimension of size {}", bound);
  return Below{std::max<int64_t>(bound, 1)};
}

int64_t last(const ir::Shape& at) { return at.empty() ? 0 : at.back(); }

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

// --- rows of weights, and bags of them ---

ValueRange rowOfArgument0(const Call& call) { return below(call.size(0, 0), call, 1); }
ValueRange rowOfArgument1(const Call& call) { return below(call.size(1, 0), call, 2); }
ValueRange embeddingRow(const Call& call) { return below(call.integer(2), call, 1); }
ValueRange bagRow(const Call& call) { return below(call.integer(5), call, 1); }

/// First index of each bag: `indices` shared out evenly; the last entry is their number where the offsets include it.
ValueRange offsets(int64_t indices, int64_t bags) {
  bags = std::max<int64_t>(bags, 1);
  return ByPosition{[=](const ir::Shape& at, uint64_t) {
    return static_cast<int64_t>((static_cast<Int128>(last(at)) * indices + bags - 1) / bags);
  }};
}

/// The bag of each index, for offsets as above.
ValueRange bagOfIndex(int64_t indices, int64_t bags) {
  indices = std::max<int64_t>(indices, 1);
  return ByPosition{
      [=](const ir::Shape& at, uint64_t) { return static_cast<int64_t>(static_cast<Int128>(last(at)) * bags / indices); }};
}

ValueRange embeddingBagOffsets(const Call& call) {
  return offsets(call.tensor(1).numel(), call.tensor(2).numel() - (call.flag(7) ? 1 : 0));
}
ValueRange perSampleOffsets(const Call& call) { return offsets(call.tensor(2).numel(), call.tensor(3).numel()); }
ValueRange perSampleBag(const Call& call) { return bagOfIndex(call.tensor(2).numel(), call.size(0, 0)); }
ValueRange denseBackwardBag(const Call& call) { return bagOfIndex(call.tensor(1).numel(), call.size(0, 0)); }

// --- gather, scatter and friends: (self, dim, index, ...) ---

ValueRange alongDim(const Call& call) { return below(call.sizeAlong(0, 1), call, 2); }

/// No index twice along the dimension that is written to.
ValueRange distinctAlongDim(const Call& call) {
  int64_t bound = call.sizeAlong(0, 1), dim = call.integer(1), rank = call.tensor(2).rank();
  below(bound, call, 2);
  if (rank == 0) return Below{bound};
  size_t along = static_cast<size_t>(dim < 0 ? dim + rank : dim);
  if (along >= static_cast<size_t>(rank)) along = 0;
  return ByPosition{[=](const ir::Shape& at, uint64_t) {
    ir::Shape others = at;
    others[along] = 0;
    uint64_t start = std::accumulate(others.begin(), others.end(), uint64_t{1}, randomBits);
    return scattered(static_cast<Int128>(at[along]) + integerBelow(start, bound), bound);
  }};
}

ValueRange anyElement(const Call& call) { return below(call.tensor(0).numel(), call, 1); }

/// `put`: distinct elements unless it accumulates.
ValueRange putElement(const Call& call) {
  int64_t bound = call.tensor(0).numel();
  ValueRange any = below(bound, call, 1);
  if (call.flag(3)) return any;
  ir::Shape sizes = call.tensor(1).sizes;
  return ByPosition{[=](const ir::Shape& at, uint64_t) { return scattered(linear(at, sizes), bound); }};
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

int64_t indexBound(const Call& call) {
  int64_t bound = call.size(0, dimensionsBefore(call, call.item()));
  if (bound <= 0 && indexTensor(call).numel() > 0)
    ir::fail(ir::ErrorKind::Unsupported, "no index is valid in a dimension of size {}", bound);
  return std::max<int64_t>(bound, 1);
}

ValueRange readIndex(const Call& call) {
  if (isMask(indexTensor(call))) return Plain{};
  return Below{indexBound(call)};
}

/// A mask with as many trues as there are values to put, evenly spread.
ValueRange putMask(const Call& call) {
  const ir::TensorType &mask = indexTensor(call), &values = call.tensor(2);
  int64_t after = call.tensor(0).rank() - dimensionsBefore(call, call.item() + 1), dim = values.rank() - 1 - after;
  int64_t cells = mask.numel(), trues = dim < 0 ? 1 : values.sizes[dim];
  if (trues == 1) return Plain{};
  ir::Shape sizes = mask.sizes;
  return ByPosition{[=](const ir::Shape& at, uint64_t) {
    auto before = [&](int64_t cell) { return static_cast<int64_t>(static_cast<Int128>(cell) * trues / cells); };
    int64_t cell = linear(at, sizes);
    return before(cell + 1) - before(cell);
  }};
}

/// Without accumulation the tuples of indices differ: index tensors of one shape count through their dimensions like the
/// digits of a number.
ValueRange writtenIndex(const Call& call) {
  if (isMask(indexTensor(call))) return putMask(call);
  int64_t bound = indexBound(call);
  if (call.flag(3)) return Below{bound};
  int64_t later = 1;
  for (size_t i = call.item() + 1; i < call.list(1).items.size(); ++i) {
    const ir::TensorType* other = call.list(1).items[i].as<ir::TensorType>();
    if (!other || other->sizes != indexTensor(call).sizes || isMask(*other)) continue;
    bool overflows = __builtin_mul_overflow(later, call.size(0, dimensionsBefore(call, i)), &later);
    if (overflows || later <= 0) return Below{bound};
  }
  ir::Shape sizes = indexTensor(call).sizes;
  return ByPosition{[=](const ir::Shape& at, uint64_t) { return scattered(linear(at, sizes) / later, bound); }};
}

// --- classes of a loss ---

ValueRange classOf(const Call& call, size_t input, size_t target) {
  return below(call.size(input, call.tensor(input).rank() == 1 ? 0 : 1), call, target);
}
ValueRange forwardClass(const Call& call) { return classOf(call, 0, 1); }
ValueRange backwardClass(const Call& call) { return classOf(call, 1, 2); }

/// The sum of the targets' weights, as if all were 1.
ValueRange totalWeight(const Call& call) {
  int64_t targets = std::max<int64_t>(call.tensor(2).numel(), 1);
  return ByPosition{[=](const ir::Shape&, uint64_t) { return targets; }};
}

// --- positions of maxima inside their pooling windows ---

constexpr int64_t largestExtent = int64_t{1} << 31;

/// Positions along one dimension that a window covers: `first + i * step` for i below `count`.
struct Span {
  int64_t first, step, count;
};

ir::Shape lastSizes(const ir::TensorType& type, size_t count) {
  if (type.sizes.size() < count)
    ir::fail(ir::ErrorKind::Unsupported, "{} has no {} dimensions to pool over", toText(type), count);
  return {type.sizes.end() - static_cast<std::ptrdiff_t>(count), type.sizes.end()};
}

/// A flat index into the last dimensions of the input: one position of each dimension's span, drawn at random. `indices` is the
/// tensor of them, which has the output's dimensions.
ValueRange inWindow(ir::Shape input, const ir::TensorType& indices, std::function<Span(size_t dim, int64_t output)> span) {
  lastSizes(indices, input.size());
  return ByPosition{[input = std::move(input), span = std::move(span)](const ir::Shape& at, uint64_t random) {
    int64_t flat = 0;
    for (size_t d = 0; d < input.size(); ++d) {
      Span window = span(d, at[at.size() - input.size() + d]);
      int64_t chosen = window.first + window.step * integerBelow(randomBits(random, d), std::max<int64_t>(window.count, 1));
      flat = flat * input[d] + std::clamp<int64_t>(chosen, 0, std::max<int64_t>(input[d] - 1, 0));
    }
    return flat;
  }};
}

template <size_t dims>
std::vector<int64_t> perDimension(const Call& call, size_t argument, const std::vector<int64_t>& otherwise) {
  std::vector<int64_t> values = call.integers(argument);
  if (values.empty()) values = otherwise;
  if (values.size() == 1) values.resize(dims, values[0]);
  bool valid =
      values.size() == dims && std::all_of(values.begin(), values.end(), [](int64_t v) { return v >= 0 && v < largestExtent; });
  if (!valid) ir::fail(ir::ErrorKind::Unsupported, "argument {} of a pooling operator is not {} sizes", argument, dims);
  return values;
}

/// `(grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices)`.
template <size_t dims>
ValueRange maxPoolIndex(const Call& call) {
  ir::Shape input = lastSizes(call.tensor(1), dims);
  auto kernel = perDimension<dims>(call, 2, {1}), stride = perDimension<dims>(call, 3, kernel);
  auto padding = perDimension<dims>(call, 4, {0}), dilation = perDimension<dims>(call, 5, {1});
  return inWindow(input, call.tensor(7), [=](size_t d, int64_t output) {
    int64_t start = output * stride[d] - padding[d], step = std::max<int64_t>(dilation[d], 1);
    int64_t skipped = start < 0 ? (-start + step - 1) / step : 0;
    int64_t fitting = start < input[d] ? (input[d] - 1 - start) / step + 1 : 0;
    return Span{start + skipped * step, step, std::min(kernel[d], fitting) - skipped};
  });
}

/// `(grad_output, self, indices)`.
template <size_t dims>
ValueRange adaptiveMaxPoolIndex(const Call& call) {
  ir::Shape input = lastSizes(call.tensor(1), dims), output = lastSizes(call.tensor(2), dims);
  return inWindow(input, call.tensor(2), [=](size_t d, int64_t o) {
    int64_t first = o * input[d] / output[d], end = ((o + 1) * input[d] + output[d] - 1) / output[d];
    return Span{first, 1, end - first};
  });
}

// --- others ---

ValueRange sparseCoordinate(const Call& call) {
  std::vector<int64_t> sizes = call.integers(2);
  if (sizes.empty()) sizes = {1};
  return ByPosition{[=](const ir::Shape& at, uint64_t random) {
    return integerBelow(random, std::max<int64_t>(1, sizes[std::min<size_t>(at.empty() ? 0 : at.front(), sizes.size() - 1)]));
  }};
}

/// Sorted along the last dimension.
ValueRange ascending(const Call&) {
  return ByPosition{[](const ir::Shape& at, uint64_t) { return last(at) - 4; }};
}

ValueRange smallCount(const Call&) { return Below{4}; }

struct Row {
  std::string_view operators;  ///< names without `aten.`, overload and the underscore of in-place forms
  size_t argument;
  ValueRange (*domain)(const Call&);
};

constexpr Row rows[] = {
    {"embedding embedding_renorm _embedding_bag _embedding_bag_forward_only", 1, rowOfArgument0},
    {"_embedding_bag _embedding_bag_forward_only", 2, embeddingBagOffsets},
    {"_embedding_bag_per_sample_weights_backward", 2, rowOfArgument1},
    {"_embedding_bag_per_sample_weights_backward", 3, perSampleOffsets},
    {"_embedding_bag_per_sample_weights_backward", 4, perSampleBag},
    {"_embedding_bag_dense_backward", 1, bagRow},
    {"_embedding_bag_dense_backward", 2, denseBackwardBag},
    {"embedding_dense_backward", 1, embeddingRow},
    {"gather index_select index_add index_fill index_reduce scatter_add scatter_reduce", 2, alongDim},
    {"scatter index_copy", 2, distinctAlongDim},
    {"take", 1, anyElement},
    {"put", 1, putElement},
    {"index _unsafe_index", 1, readIndex},
    {"index_put _index_put_impl _unsafe_index_put", 1, writtenIndex},
    {"nll_loss_forward nll_loss2d_forward", 1, forwardClass},
    {"nll_loss_backward nll_loss2d_backward", 2, backwardClass},
    {"nll_loss_backward nll_loss2d_backward", 6, totalWeight},
    {"max_pool2d_with_indices_backward", 7, maxPoolIndex<2>},
    {"max_pool3d_with_indices_backward", 7, maxPoolIndex<3>},
    {"adaptive_max_pool2d_backward", 2, adaptiveMaxPoolIndex<2>},
    {"adaptive_max_pool3d_backward", 2, adaptiveMaxPoolIndex<3>},
    {"_sparse_coo_tensor_with_dims_and_tensors", 3, sparseCoordinate},
    {"searchsorted", 0, ascending},
    {"bucketize", 1, ascending},
    {"bincount repeat_interleave", 0, smallCount},
};

}  // namespace

std::optional<ValueRange> indexDomain(const Call& call, size_t argument) {
  for (const Row& row : rows)
    if (row.argument == argument && call.isOneOf(row.operators)) return row.domain(call);
  return std::nullopt;
}

}  // namespace inputs
