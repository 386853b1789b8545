#include "inputs/operators/domain.h"

#include <algorithm>

#include "inputs/random.h"

namespace inputs {

Domain below(int64_t bound, const ir::TensorType& indices) {
  if (bound <= 0 && indices.numel() > 0)
    ir::fail(ir::ErrorKind::Unsupported, "no index is valid in a dimension of size {}", bound);
  return {Below{std::max<int64_t>(bound, 1)}, {0, bound - 1}};
}

Domain fromEnd(Domain domain) {
  domain.legal.least = -domain.legal.most - 1;
  return domain;
}

Domain orNone(Domain domain, int64_t none) {
  const Below* all = std::get_if<Below>(&domain.drawn);
  if (all == nullptr) return domain;
  domain.drawn = ByPosition{[bound = all->bound, none](const ir::Shape& at, uint64_t random) {
    const bool isFirst = std::all_of(at.begin(), at.end(), [](int64_t coordinate) { return coordinate == 0; });
    return !isFirst && randomBits(random, 0) % 8 == 0 ? none : integerBelow(random, bound);
  }};
  return domain;
}

Domain drawnBy(Domain domain, std::function<int64_t(const ir::Shape& at, uint64_t random)> value) {
  domain.drawn = ByPosition{std::move(value)};
  return domain;
}

Domain equalIf(bool mayMeet) {
  constexpr int64_t number = 3;
  return {mayMeet ? ValueRange(ByPosition{[](const ir::Shape&, uint64_t) { return number; }}) : Plain{}};
}

bool isRepeated(const ir::Argument::Elements& given) {
  const auto* integers = std::get_if<std::vector<int64_t>>(&given);
  if (integers == nullptr) return false;
  std::vector<int64_t> sorted = *integers;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

Domain alongDim(const Call& call) { return below(call.sizeAlong(0, 1), call.tensor(2)); }

}  // namespace inputs
