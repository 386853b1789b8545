#include "lowering/operators/windows/tap.h"

namespace lowering {
namespace {

Value weightedSumFrom(std::size_t d, const Tensor& x, const Element& at, const std::vector<std::vector<Tap>>& next) {
  if (d == next.size()) return sumOf(x, {at});
  std::optional<Value> sum;
  for (const auto& [place, weight] : next[d]) {
    const Element element = elementsAt(at, {{place}}).front();
    const Value one = cast(weight, x.dtype) * weightedSumFrom(d + 1, x, element, next);
    sum = sum ? *sum + one : one;
  }
  return *sum;
}

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
  return weightedSumFrom(0, x, first, next);
}

}  // namespace lowering
