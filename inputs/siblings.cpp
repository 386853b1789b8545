#include "inputs/siblings.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "inputs/operator_name.h"
#include "inputs/random.h"

namespace inputs {
namespace {

using ir::Argument;
using ir::TensorType;

constexpr int64_t manyElements = int64_t{1} << 18;
constexpr int64_t largestFlag = 16;  ///< integers up to it are numbers of dimensions, extents of windows and the like

void visit(Argument& argument, const std::function<void(Argument&)>& change) {
  change(argument);
  if (auto* list = std::get_if<ir::List>(&argument.data))
    for (Argument& item : list->items) visit(item, change);
}

/// The sample with its arguments changed, also the arguments in lists.
Sample changed(Sample sample, const std::function<void(Argument&)>& change) {
  for (Argument& argument : sample.args) visit(argument, change);
  for (ir::NamedArgument& named : sample.kwargs) visit(named.value, change);
  sample.recorded = toText(sample);
  return sample;
}

/// The sample with the tensors changed whose elements are drawn.
Sample laidOut(const Sample& sample, const std::function<void(TensorType&)>& lay) {
  return changed(sample, [&](Argument& argument) {
    if (auto* type = std::get_if<TensorType>(&argument.data); type != nullptr && !argument.hasElements()) lay(*type);
  });
}

/// Dimensions from the innermost to the outermost in memory.
std::vector<size_t> memoryOrder(const TensorType& type) {
  std::vector<size_t> order(type.sizes.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = order.size() - 1 - d;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return type.strides[a] < type.strides[b]; });
  return order;
}

/// Lays a tensor out densely in an order of dimensions, the innermost first; each but the last one may take more room than it
/// has.
void layOut(TensorType& type, const std::vector<size_t>& order, int64_t innermost, int64_t room) {
  int64_t stride = innermost;
  for (const size_t d : order) {
    type.strides[d] = stride;
    stride *= std::max<int64_t>(type.sizes[d], 1) + (d == order.front() ? room : 0);
  }
}

/// Whether a tensor whose elements are given has the size.
bool isOfGivenTensor(const Sample& sample, int64_t size) {
  bool isFound = false;
  changed(sample, [&](Argument& argument) {
    if (const auto* type = argument.as<TensorType>(); type != nullptr && argument.hasElements())
      isFound = isFound || std::find(type->sizes.begin(), type->sizes.end(), size) != type->sizes.end();
  });
  return isFound;
}

/// Whether the sample is of a gradient alone, whose sizes follow from integers of the call: `slice_backward`. ATen does not check
/// them.
bool isGradientOfListedSizes(const Sample& sample) {
  const bool hasList = std::any_of(sample.args.begin(), sample.args.end(),
                                   [](const Argument& argument) { return argument.as<ir::List>() != nullptr; });
  return hasList && sample.op.find("_backward") != std::string::npos && tensorsOf(sample).size() == 1;
}

/// The sample with another size wherever one occurs. Tensors keep the order of their dimensions in memory, without gaps.
Sample resized(const Sample& sample, int64_t from, int64_t to) {
  return changed(sample, [&](Argument& argument) {
    if (auto* number = std::get_if<int64_t>(&argument.data); number != nullptr && *number == from && from > largestFlag)
      *number = to;
    auto* type = std::get_if<TensorType>(&argument.data);
    if (type == nullptr || std::find(type->sizes.begin(), type->sizes.end(), from) == type->sizes.end()) return;
    const std::vector<size_t> order = memoryOrder(*type);
    std::replace(type->sizes.begin(), type->sizes.end(), from, to);
    layOut(*type, order, 1, 0);
  });
}

/// The tensor with most elements; null where there is none.
const TensorType* largestOf(const Sample& sample) {
  const TensorType* largest = nullptr;
  for (const TensorType* type : tensorsOf(sample))
    if (largest == nullptr || type->numel() > largest->numel()) largest = type;
  return largest;
}

/// An odd size in place of one of the largest tensor's, with which it has more than 2^18 elements; nothing where it has them.
std::optional<int64_t> manyIn(const TensorType& largest, int64_t size) {
  int64_t others = 1;
  for (const int64_t each : largest.sizes)
    if (each != size) others *= each;
  const auto dims = std::count(largest.sizes.begin(), largest.sizes.end(), size);
  if (largest.numel() > manyElements || others <= 0) return std::nullopt;
  int64_t many = size | 1;
  const auto elements = [&] {
    int64_t all = others;
    for (int64_t d = 0; d < dims; ++d) all *= many;
    return all;
  };
  if (dims == 1) many = std::max(many, (manyElements / others) | 1);
  while (elements() <= manyElements) many += 2;
  return many;
}

/// The sizes of the largest tensor's last and first dimension.
std::vector<int64_t> endsOf(const TensorType& largest) {
  std::vector<int64_t> sizes;
  if (largest.rank() > 0) sizes.push_back(largest.sizes.back());
  if (largest.rank() > 1 && largest.sizes.front() != sizes.front()) sizes.push_back(largest.sizes.front());
  return sizes;
}

void transpose(TensorType& type) {
  if (type.rank() < 2) return;
  std::vector<size_t> order = memoryOrder(type);
  std::swap(order[0], order[1]);
  layOut(type, order, 1, 0);
}

/// As within a larger tensor, whose rows have three more elements.
void slice(TensorType& type) {
  if (type.rank() > 0) layOut(type, memoryOrder(type), 1, 3);
}

void spread(TensorType& type) {
  if (type.rank() > 0) layOut(type, memoryOrder(type), 2, 0);
}

/// Vectors stay: they may be written, as running statistics are.
void expand(TensorType& type) {
  if (type.rank() > 1) type.strides.front() = 0;
}

}  // namespace

std::vector<Sibling> siblingsOf(const Sample& sample, int64_t mostBytes) {
  std::vector<Sibling> siblings;
  const TensorType* largest = largestOf(sample);
  if (!isCall(sample.op) || largest == nullptr) return siblings;
  const int64_t most = std::max(mostBytes, argumentBytes(sample));
  std::set<std::string> known{toText(sample)};
  using Tells = Sibling::Tells;
  const auto add = [&](Sample other, std::string what, Tells tells = Tells::Else) {
    if (argumentBytes(other) > most || !known.insert(other.recorded).second) return;
    siblings.push_back({std::move(other), std::move(what), tells});
  };
  for (const int64_t size : endsOf(*largest)) {
    if (size < 1 || isOfGivenTensor(sample, size) || isGradientOfListedSizes(sample)) continue;
    const int64_t odd = size % 2 == 0 ? size - 1 : size + 2;
    // A larger last size of an image makes windows larger, whose kernels take long to compile.
    const bool mayGrow = largest->rank() <= 2 || size == largest->sizes.front();
    const std::optional<int64_t> many = mayGrow ? manyIn(*largest, size) : std::nullopt;
    const bool isLast = size == largest->sizes.back();
    for (const auto& other : {many, std::optional<int64_t>(odd), std::optional<int64_t>(1), std::optional<int64_t>(0)})
      if (other)
        add(resized(sample, size, *other), fmt::format("size {} is {}", size, *other),
            isLast && other == many.value_or(odd) ? Tells::OfSizes : Tells::Else);
  }
  add(laidOut(sample, transpose), "transposed");
  add(laidOut(sample, slice), "gaps between rows", Tells::OfStrides);
  add(laidOut(sample, spread), "every other element", Tells::OfStrides);
  add(laidOut(sample, expand), "expanded");
  return siblings;
}

std::vector<Sibling> mostTellingFirst(std::vector<Sibling> siblings, uint64_t seed) {
  for (size_t i = siblings.size(); i > 1; --i) std::swap(siblings[i - 1], siblings[randomBits(seed, i) % i]);
  auto next = siblings.begin();
  for (const Sibling::Tells tells : {Sibling::Tells::OfSizes, Sibling::Tells::OfStrides}) {
    const auto found = std::find_if(next, siblings.end(), [&](const Sibling& sibling) { return sibling.tells == tells; });
    if (found == siblings.end()) continue;
    std::rotate(next, found, found + 1);
    ++next;
  }
  return siblings;
}

}  // namespace inputs
