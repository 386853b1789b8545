#include "inputs/fill.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "inputs/random.h"

namespace inputs {
namespace {

constexpr int64_t largestInteger = 8;
constexpr int64_t period = 262'139;  // the largest prime below 2^18

double normal(uint64_t bits) { return normalQuantile(uniform(bits)); }

double awayFromZero(double value) { return std::copysign(std::abs(value) + 0.0625, value); }

double halves(uint64_t bits) { return static_cast<double>(std::clamp<int64_t>(std::lround(4 * normal(bits)), -16, 16)) / 2; }

double nonFinite(uint64_t bits) {
  uint64_t kind = bits & 15;
  if (kind < 2) return std::numeric_limits<double>::quiet_NaN();
  if (kind < 4) return kind == 2 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  return normal(bits);
}

struct FloatDraw {
  double operator()(const Plain&, uint64_t bits) const { return normal(bits); }
  double operator()(const Uniform& range, uint64_t bits) const { return range.low + (range.high - range.low) * uniform(bits); }
  double operator()(const Positive&, uint64_t bits) const { return std::abs(normal(bits)) + 0.0625; }
  double operator()(const NonZero&, uint64_t bits) const { return awayFromZero(normal(bits)); }
  double operator()(const Halves&, uint64_t bits) const { return halves(bits); }
  double operator()(const NonFinite&, uint64_t bits) const { return nonFinite(bits); }
  double operator()(const Below& range, uint64_t bits) const { return static_cast<double>(integerBelow(bits, range.bound)); }
};

struct IntegerDraw {
  bool isSigned;

  int64_t plain(uint64_t bits) const {
    return isSigned ? integerBelow(bits, 2 * largestInteger + 1) - largestInteger : integerBelow(bits, largestInteger + 1);
  }
  int64_t operator()(const Plain&, uint64_t bits) const { return plain(bits); }
  int64_t operator()(const Uniform&, uint64_t bits) const { return plain(bits); }
  int64_t operator()(const Positive&, uint64_t bits) const { return 1 + integerBelow(bits, largestInteger); }
  int64_t operator()(const NonZero&, uint64_t bits) const {
    int64_t value = 1 + integerBelow(bits, largestInteger);
    return isSigned && (bits & 1) ? -value : value;
  }
  int64_t operator()(const Halves&, uint64_t bits) const { return plain(bits); }
  int64_t operator()(const NonFinite&, uint64_t bits) const { return plain(bits); }
  int64_t operator()(const Below& range, uint64_t bits) const { return integerBelow(bits, range.bound); }
};

struct BoolDraw {
  template <typename Any>
  bool operator()(const Any&, uint64_t bits) const {
    return bits >> 63;
  }
};

template <typename Element>
auto drawOf([[maybe_unused]] const ir::TensorType& type) {
  if constexpr (std::is_same_v<Element, bool>) {
    return BoolDraw{};
  } else if constexpr (std::is_floating_point_v<Element>) {
    return FloatDraw{};
  } else {
    return IntegerDraw{ir::isSigned(type.dtype)};
  }
}

/// Calls `visit(coordinates, offset)` for every element of the storage that the tensor addresses, once for all that a
/// stride of 0 repeats.
template <typename Visit>
void forEachElement(const ir::TensorType& type, Visit visit) {
  ir::Shape at(type.sizes.size(), 0);
  int64_t offset = 0;
  while (true) {
    visit(at, offset);
    size_t d = at.size();
    while (d-- > 0) {
      int64_t extent = type.strides[d] == 0 ? 1 : type.sizes[d];
      if (++at[d] < extent) {
        offset += type.strides[d];
        break;
      }
      offset -= (extent - 1) * type.strides[d];
      at[d] = 0;
    }
    if (d == static_cast<size_t>(-1)) return;
  }
}

}  // namespace

int64_t drawnElements(const ir::TensorType& type, const Domain& domain) {
  int64_t all = type.storageElements();
  return std::holds_alternative<ByPosition>(domain) ? all : std::min(all, period);
}

template <typename Element>
void fillStorage(const ir::TensorType& type, const Domain& domain, uint64_t key, Element* storage) {
  int64_t count = drawnElements(type, domain) * (ir::isComplex(type.dtype) ? 2 : 1);
  if (count == 0) return;
  auto draw = drawOf<Element>(type);
  auto fill = [&](const auto& kind) {
    if constexpr (std::is_same_v<std::decay_t<decltype(kind)>, ByPosition>) {
      std::fill_n(storage, count, Element{});
      uint64_t element = 0;
      forEachElement(type, [&](const ir::Shape& at, int64_t offset) {
        storage[offset] = static_cast<Element>(kind.value(at, randomBits(key, element++)));
      });
    } else {
      for (int64_t i = 0; i < count; ++i) storage[i] = static_cast<Element>(draw(kind, randomBits(key, i)));
    }
  };
  std::visit(fill, domain);
}

template void fillStorage(const ir::TensorType&, const Domain&, uint64_t, float*);
template void fillStorage(const ir::TensorType&, const Domain&, uint64_t, double*);
template void fillStorage(const ir::TensorType&, const Domain&, uint64_t, int64_t*);
template void fillStorage(const ir::TensorType&, const Domain&, uint64_t, bool*);

}  // namespace inputs
