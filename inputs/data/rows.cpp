#include "inputs/data/rows.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "inputs/call.h"
#include "inputs/data/fill.h"
#include "inputs/data/materialize.h"
#include "inputs/data/schema.h"
#include "inputs/operators/facts.h"
#include "inputs/random.h"

namespace inputs {
namespace {

constexpr int64_t fewElements = 1 << 13;        // of data that are drawn several times
constexpr int64_t mostElements = 1 << 21;       // of rows that differ
constexpr int64_t mostRows = 4 * thingsOfRows;  // of these: each thing beside each that another tensor may hold there

/// What a row may hold, in the order in which rows take turns.
enum class Thing {
  Mixed,         ///< one element in eight is special, as where there are no rows
  LowFirstHalf,  ///< the first half is -infinity: what a mask leaves
  Equal,         ///< all elements are one number
  HugeLast,      ///< the last element is far larger than all others
  TinyByRoot,    ///< the variance is what the call adds to it
  OneNaN,        ///< one element is NaN
  Zero,          ///< all elements are zero
  AllLow,        ///< all elements are -infinity
  Noise,         ///< nothing special
  Descending,    ///< each element is at most the one before it
  Big,           ///< squares of sums of squares overflow
  Ties,          ///< the two largest are equal and side by side
  LowLastHalf,   ///< the last half is -infinity
  Tiny,          ///< the norm is what the call bounds it by
  OneHigh,       ///< one element is infinity
  HugeFirst,     ///< the first element is far larger than all others
  Ascending,     ///< each element is at least the one before it
  HalfEqual,     ///< every other element is one number
};
static_assert(static_cast<int64_t>(Thing::HalfEqual) + 1 == thingsOfRows);

RowKinds leastOf(Thing thing) {
  switch (thing) {
    case Thing::Mixed:
    case Thing::LowFirstHalf:
    case Thing::LowLastHalf:
    case Thing::AllLow:
    case Thing::OneHigh:
    case Thing::OneNaN: return RowKinds::Any;
    case Thing::HugeFirst:
    case Thing::HugeLast:
    case Thing::Big: return RowKinds::Finite;
    default: return RowKinds::Tame;
  }
}

std::vector<int64_t> dimsFrom(int64_t first, int64_t rank) {
  std::vector<int64_t> dims(static_cast<size_t>(std::max<int64_t>(rank - first, 0)));
  std::iota(dims.begin(), dims.end(), first);
  return dims;
}

std::optional<RowKinds> kindsOf(const ValueRange& range, bool isInteger) {
  if (const auto* halves = std::get_if<Halves>(&range)) return halves->isFinite ? RowKinds::Finite : RowKinds::Any;
  if (std::holds_alternative<Plain>(range)) return RowKinds::Any;
  if (std::holds_alternative<Finite>(range)) return RowKinds::Finite;
  if (isInteger) return std::nullopt;
  if (std::holds_alternative<Tame>(range)) return RowKinds::Tame;
  if (std::holds_alternative<Positive>(range)) return RowKinds::Any;
  const auto* nonZero = std::get_if<NonZero>(&range);
  return nonZero != nullptr && !nonZero->isTame ? std::optional(RowKinds::Any) : std::nullopt;
}

/// Whether no two elements share memory, but elements that a stride of 0 repeats.
bool isApart(const ir::TensorType& type) {
  std::vector<std::pair<int64_t, int64_t>> dims;  // stride and size
  for (size_t d = 0; d < type.sizes.size(); ++d)
    if (type.strides[d] != 0 && type.sizes[d] > 1) dims.emplace_back(type.strides[d], type.sizes[d]);
  std::sort(dims.begin(), dims.end());
  int64_t reach = 0;  // the last element of the dimensions so far
  for (const auto& [stride, size] : dims) {
    if (stride <= reach) return false;
    reach += stride * (size - 1);
  }
  return true;
}

/// How many elements a dimension has in memory.
int64_t stored(const ir::TensorType& type, size_t dim) { return type.strides[dim] == 0 ? 1 : type.sizes[dim]; }

int64_t lengthOf(const ir::TensorType& type, const std::vector<int64_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1},
                         [&](int64_t length, int64_t dim) { return length * stored(type, static_cast<size_t>(dim)); });
}

int64_t storedElements(const ir::TensorType& type) { return lengthOf(type, dimsFrom(0, std::ssize(type.sizes))); }

int64_t largestArgument(const Sample& sample) {
  int64_t most = 0;
  for (const ir::TensorType* type : tensorsOf(sample)) most = std::max(most, storedElements(*type));
  return most;
}

double epsilonOf(const Sample& sample) {
  const c10::FunctionSchema* schema = schemaOf(sample.op);
  for (const std::string_view name : {"eps", "epsilon"})
    if (const auto place = positionOf(schema, name)) {
      const auto& otherwise = schema->arguments()[*place].default_value();
      const double epsilon = Call(sample, 0).number(*place, otherwise && otherwise->isDouble() ? otherwise->toDouble() : 0);
      if (epsilon > 0) return epsilon;
    }
  return 1e-5;
}

/// How many rows there are, and how many of them differ.
struct Counts {
  int64_t length, rows, different;
};

Counts countsOf(const ir::TensorType& type, const Rows& rows) {
  const int64_t length = std::max<int64_t>(lengthOf(type, rows.dims), 1), all = storedElements(type) / length;
  return {length, all, std::min({all, std::max<int64_t>(mostElements / length, 1), mostRows})};
}

/// Puts one thing into rows of floats or integers of one dtype.
class Holder {
 public:
  Holder(ir::DType dtype, const Rows& rows) : dtype_(dtype), rows_(rows) {}

  void operator()(const at::Tensor& row, Thing thing, uint64_t bits) const {
    const int64_t length = row.numel(), at = integerBelow(randomBits(bits, 0), length);
    constexpr double top = 8;
    const bool isFloating = ir::isFloating(dtype_);
    switch (thing) {
      case Thing::Mixed: return mix(row, bits);
      case Thing::LowFirstHalf: return fill(row.narrow(0, 0, length / 2), low());
      case Thing::LowLastHalf: return fill(row.narrow(0, length - length / 2, length / 2), low());
      case Thing::AllLow: return fill(row, low());
      case Thing::OneHigh: return fill(row.narrow(0, at, 1), high());
      case Thing::OneNaN:
        if (isFloating) fill(row.narrow(0, at, 1), std::numeric_limits<double>::quiet_NaN());
        return;
      case Thing::HugeFirst: return fill(row.narrow(0, 0, 1), huge());
      case Thing::HugeLast: return fill(row.narrow(0, length - 1, 1), huge());
      case Thing::Equal: return fill(row, level(bits));
      case Thing::HalfEqual: return fill(row.slice(0, 0, length, 2), level(bits));
      case Thing::Zero: return fill(row, 0);
      case Thing::Ascending: return rise(row, false);
      case Thing::Descending: return rise(row, true);
      case Thing::Ties:
        return fill(row.narrow(0, std::min(at, std::max<int64_t>(length - 2, 0)), std::min<int64_t>(length, 2)), top);
      case Thing::TinyByRoot:
        if (isFloating) row.mul_(std::sqrt(rows_.epsilon));
        return;
      case Thing::Tiny:
        if (isFloating) row.mul_(rows_.epsilon / std::sqrt(static_cast<double>(length)));
        return;
      case Thing::Big:
        if (isFloating && rows_.areCombined) row.abs_().add_(1).mul_(magnitudesOf(dtype_).large / 64);
        return;
      case Thing::Noise: return;
    }
  }

 private:
  static void fill(const at::Tensor& part, const c10::Scalar& value) { part.fill_(value); }

  c10::Scalar low() const {
    if (ir::isFloating(dtype_)) return -std::numeric_limits<double>::infinity();
    return leastInteger(dtype_);
  }
  /// The largest integer stands for what is beyond all others, as for what is far larger.
  c10::Scalar largest(double ofFloats) const {
    if (ir::isFloating(dtype_)) return ofFloats;
    return largestInteger(dtype_);
  }
  c10::Scalar high() const { return largest(std::numeric_limits<double>::infinity()); }
  c10::Scalar huge() const { return largest(magnitudesOf(dtype_).large); }

  /// A number whose sums and means are exact.
  double level(uint64_t bits) const {
    constexpr std::array levels{1.0, 0.5, 2.0, -1.0, -2.0, -0.5};
    const double level = levels[randomBits(bits, 1) % (rows_.isPositive ? 3 : levels.size())];
    return ir::isFloating(dtype_) ? level : std::ceil(level);
  }

  /// The row's numbers in order. Of steps of one size all roundings of a sum would go the same way.
  void rise(const at::Tensor& row, bool isFalling) const {
    const at::Tensor numbers = ir::isFloating(dtype_) ? row.to(c10::kDouble) : row;
    row.copy_(std::get<0>(numbers.sort(0, isFalling)));
  }

  void mix(const at::Tensor& row, uint64_t bits) const {
    if (!ir::isFloating(dtype_)) return;
    constexpr int64_t most = 4096;
    const int64_t count = std::min(row.numel(), most);
    const ValueRange range = rows_.kinds == RowKinds::Any ? ValueRange(Plain{}) : Finite{};
    const auto type = ir::TensorType::contiguous(dtype_, {count});
    const at::Tensor mixed = at::empty({count}, c10::kDouble);
    fillStorage(type, range, bits, mixed.mutable_data_ptr<double>(), {Distribution::Specials});
    row.narrow(0, 0, count).copy_(mixed);
  }

  ir::DType dtype_;
  const Rows& rows_;
};

/// What a row of the first tensor of a call holds, and what one of another holds beside it: the same in every other cycle of
/// things; in those between, one of the two holds nothing special.
Thing thingOf(int64_t row, bool isFirst) {
  const int64_t cycle = row / thingsOfRows % 4;
  const bool isNoise = isFirst ? cycle == 3 : cycle == 1;
  return isNoise ? Thing::Noise : static_cast<Thing>(row % thingsOfRows);
}

}  // namespace

std::optional<std::vector<int64_t>> combinedDims(const Sample& sample, const ir::TensorType& type) {
  const int64_t rank = std::ssize(type.sizes);
  const Call call(sample, 0);
  const std::optional<Combined> combined = combinedOf(sample.op);
  if (combined == Combined::AllButFirst) return dimsFrom(1, rank);
  if (combined == Combined::AllButChannels) {
    std::vector<int64_t> dims = dimsFrom(0, rank);
    std::erase(dims, 1);
    return dims;
  }
  const c10::FunctionSchema* schema = schemaOf(sample.op);
  if (const auto place = positionOf(schema, "normalized_shape"); place && *place < sample.args.size())
    return dimsFrom(std::max<int64_t>(rank - std::ssize(call.integers(*place)), 0), rank);
  const auto place = positionOf(schema, "dim");
  if (!place) return schema != nullptr && combined == Combined::AllWithoutDim ? std::optional(dimsFrom(0, rank)) : std::nullopt;
  const ir::Argument* dim = *place < sample.args.size() ? &sample.args[*place] : nullptr;
  const auto& otherwise = schema->arguments()[*place].default_value();
  std::vector<int64_t> dims;
  if (dim == nullptr && otherwise && otherwise->isInt()) dims = {otherwise->toInt()};
  if (dim != nullptr && dim->is<int64_t>()) dims = {*dim->as<int64_t>()};
  if (dim != nullptr && dim->is<ir::List>()) dims = call.integers(*place);
  for (int64_t& one : dims) one += one < 0 ? rank : 0;
  if (std::any_of(dims.begin(), dims.end(), [&](int64_t one) { return one < 0 || one >= rank; })) return std::nullopt;
  std::sort(dims.begin(), dims.end());
  dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  return dims.empty() ? dimsFrom(0, rank) : dims;
}

bool isBesideRows(const Sample& sample, const ir::TensorType& type) {
  if (2 * storedElements(type) >= largestArgument(sample)) return false;
  const auto types = tensorsOf(sample);
  return std::any_of(types.begin(), types.end(),
                     [&](const auto* other) { return rowsOf(sample, 0, *other, Plain{}, {}).has_value(); });
}

std::optional<Rows> rowsOf(const Sample& sample, size_t argument, const ir::TensorType& type, const ValueRange& range,
                           const Data& data) {
  const int64_t rank = std::ssize(type.sizes);
  const bool isInteger = ir::isIntegral(type.dtype);
  auto kinds = kindsOf(range, isInteger);
  if (rank == 0 || type.numel() == 0 || !kinds || ir::isComplex(type.dtype) || !isApart(type)) return std::nullopt;
  if (2 * storedElements(type) < largestArgument(sample)) return std::nullopt;
  if (data.isTame) kinds = isInteger ? std::nullopt : std::optional(RowKinds::Tame);
  if (!kinds) return std::nullopt;
  Rows rows{data.rowDims, *kinds, epsilonOf(sample), argument == 0, std::holds_alternative<Positive>(range)};
  const bool isGiven = !rows.dims.empty() && rows.dims.back() < rank;
  const auto combined = combinedDims(sample, type);
  rows.areCombined = isGiven || combined.has_value();
  if (!isGiven) rows.dims = combined.value_or(dimsFrom(rank - 1, rank));
  const Counts counts = countsOf(type, rows);
  return counts.rows == 1 && counts.length > fewElements ? std::nullopt : std::optional(rows);
}

int64_t turnsOf(const Sample& sample) {
  int64_t least = thingsOfRows, elements = 0;
  for (const ir::TensorType* type : tensorsOf(sample)) {
    if (const auto rows = rowsOf(sample, 0, *type, Plain{}, {})) least = std::min(least, countsOf(*type, *rows).rows);
    elements = std::max(elements, storedElements(*type));
  }
  return elements > fewElements ? 1 : (thingsOfRows + least - 1) / least;
}

int64_t rowElements(const ir::TensorType& type, const Rows& rows) {
  const Counts counts = countsOf(type, rows);
  return counts.length * counts.different;
}

at::Tensor rowTensor(const ir::TensorType& type, const Rows& rows, const at::Tensor& noise, uint64_t seed, const Data& data,
                     c10::Device device) {
  const auto [length, all, different] = countsOf(type, rows);
  const at::Tensor block = noise.view({different, length});
  const Holder hold(type.dtype, rows);
  const int64_t first = data.turn * all + (different < thingsOfRows ? static_cast<int64_t>(seed % thingsOfRows) : 0);
  for (int64_t row = 0; row < different; ++row) {
    const Thing thing = thingOf(first + row, rows.isFirst);
    if (leastOf(thing) >= rows.kinds) hold(block[row], thing, randomBits(seed, static_cast<uint64_t>(row)));
  }
  const at::Tensor own = block.to(scalarType(type.dtype)).to(device);
  const at::Tensor every = all == different ? own : own.repeat({(all + different - 1) / different, 1}).narrow(0, 0, all);

  // Back to the order of the tensor's dimensions, and into its storage.
  std::vector<int64_t> order, sizes, strides = type.strides;
  for (int64_t d = 0; d < std::ssize(type.sizes); ++d)
    if (!std::binary_search(rows.dims.begin(), rows.dims.end(), d)) order.push_back(d);
  order.insert(order.end(), rows.dims.begin(), rows.dims.end());
  std::vector<int64_t> apart, back(order.size()), once;
  for (size_t i = 0; i < order.size(); ++i) {
    apart.push_back(stored(type, static_cast<size_t>(order[i])));
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  for (size_t d = 0; d < type.sizes.size(); ++d) once.push_back(stored(type, d));
  const at::Tensor storage = at::zeros({type.storageElements()}, own.options());
  at::as_strided(storage, once, type.strides).copy_(every.reshape(apart).permute(back));
  return at::as_strided(storage, type.sizes, type.strides);
}

}  // namespace inputs
