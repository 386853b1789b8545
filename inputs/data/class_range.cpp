#include "inputs/data/class_range.h"

#include <algorithm>
#include <limits>

#include "inputs/random.h"

namespace inputs {
namespace {

IndexRange classOf(const Call& call, size_t input, size_t target) {
  if (!ir::isIntegral(call.tensor(target).dtype)) return {Uniform{0, 1}, {}};
  return below(call.size(input, call.tensor(input).rank() == 1 ? 0 : 1), call.tensor(target));
}

}  // namespace

IndexRange orNone(IndexRange range, int64_t none) {
  const Below* all = std::get_if<Below>(&range.drawn);
  if (all == nullptr) return range;
  range.drawn = ByPosition{[bound = all->bound, none](const ir::Shape& at, uint64_t random) {
    const bool isFirst = std::all_of(at.begin(), at.end(), [](int64_t coordinate) { return coordinate == 0; });
    return !isFirst && randomBits(random, 0) % 8 == 0 ? none : integerBelow(random, bound);
  }};
  return range;
}

template <size_t input, size_t target, size_t ignored>
IndexRange classOrNone(const Call& call) {
  IndexRange range = classOf(call, input, target);
  range.legal.other = static_cast<int64_t>(call.number(ignored, -100));
  return orNone(range, *range.legal.other);
}
template <size_t input, size_t target>
IndexRange classOfMargin(const Call& call) {
  return classOf(call, input, target);
}
template <size_t input, size_t target>
IndexRange classesOfMargin(const Call& call) {
  IndexRange range = below(call.size(input, -1), call.tensor(target));
  range.legal.other = -1;
  return range;
}
IndexRange encodedClass(const Call& call) {
  const auto classes = static_cast<int64_t>(call.number(1, -1));
  if (classes > 0) return below(classes, call.tensor(0));
  return {Below{16}, {0, std::numeric_limits<int64_t>::max()}};
}

IndexRange totalWeight(const Call& call) {
  int64_t targets = std::max<int64_t>(call.tensor(2).numel(), 1);
  return {ByPosition{[=](const ir::Shape&, uint64_t) { return targets; }}, {}};
}

template IndexRange classOrNone<0, 1, 4>(const Call& call);
template IndexRange classOrNone<1, 2, 5>(const Call& call);
template IndexRange classOfMargin<0, 1>(const Call& call);
template IndexRange classOfMargin<1, 2>(const Call& call);
template IndexRange classesOfMargin<0, 1>(const Call& call);
template IndexRange classesOfMargin<1, 2>(const Call& call);

}  // namespace inputs
