#include "lowering/operators/windows/tap.h"

namespace lowering {
namespace {

/// What a weighted sum is of. Dimensions are summed along in the opposite of this order; an element is the same expression in
/// any.
struct Terms {
  const Tensor& x;
  const Element& first;
  const std::vector<std::vector<Tap>>& next;
  std::vector<std::size_t> order;

  /// The sum over the taps of order[i] and of the dimensions after it. `places` holds the places chosen for the dimensions
  /// before.
  Value sumFrom(std::size_t i, std::vector<Places>& places) const {
    if (i == order.size()) return sumOf(x, elementsAt(first, places));
    std::optional<Value> sum;
    for (const auto& [place, weight] : next[order[i]]) {
      places[order[i]] = {place};
      const Value one = cast(weight, x.dtype) * sumFrom(i + 1, places);
      sum = sum ? *sum + one : one;
    }
    return *sum;
  }
};

}  // namespace

Tap numbered(const std::vector<Tap>& taps, Value number) {
  Tap tap = taps.front();
  for (std::size_t i = 1; i < taps.size(); ++i) {
    const auto& [place, weight] = taps[i];
    const Value isThis = number == static_cast<int64_t>(i);
    tap = {{where(isThis, place.at, tap.place.at), tap.place.exists}, where(isThis, weight, tap.weight)};
    if (place.exists) tap.place.exists = where(isThis, *place.exists, *tap.place.exists);
  }
  return tap;
}

Value weightedSum(const Tensor& x, const Element& first, const std::vector<std::vector<Tap>>& next) {
  return weightedSum(x, first, next, next.size() - 1);
}

Value weightedSum(const Tensor& x, const Element& first, const std::vector<std::vector<Tap>>& next, std::size_t soonest) {
  Terms terms{x, first, next, {}};
  for (std::size_t d = 0; d < next.size(); ++d)
    if (d != soonest) terms.order.push_back(d);
  terms.order.push_back(soonest);
  std::vector<Places> places(next.size());
  return terms.sumFrom(0, places);
}

}  // namespace lowering
