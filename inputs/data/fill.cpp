#include "inputs/data/fill.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>

#include "inputs/normals.h"
#include "inputs/random.h"
#include "ir/parallel.h"

namespace inputs {
namespace {

constexpr int64_t largestUsual = 8;  // of integers
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

/// One of ten numbers that a dtype's arithmetic treats in a way of its own. The large ones are not each other's negatives: if
/// they cancelled, the sum of the others would depend on the order.
double special(ir::DType dtype, uint64_t which) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Magnitudes range = magnitudesOf(dtype);
  const double values[] = {std::numeric_limits<double>::quiet_NaN(),
                           infinity,
                           -infinity,
                           0.0,
                           -0.0,
                           range.subnormal,
                           -range.subnormal,
                           range.normal,
                           range.large,
                           -range.large / 4};
  return values[which % std::size(values)];
}

/// A few quarters from a level that is far from zero.
double far(ir::DType dtype, uint64_t bits) {
  const double level = dtype == ir::DType::F64 || dtype == ir::DType::C128 ? 1000 : 250;  // beyond the logarithm of the largest
  return level + static_cast<double>(std::clamp<int64_t>(std::lround(2 * normal(bits)), -4, 4)) / 4;
}

/// As likely between 2^k and 2^(k+1) for one k as for another.
double spread(uint64_t bits) {
  constexpr double least = -8, most = 8;
  const double magnitude = std::exp2(least + (most - least) * uniform(bits));
  return bits & 1 ? -magnitude : magnitude;
}

/// Floats by domain; plain ones by the distribution asked for.
struct FloatDraw {
  ir::DType dtype;
  Data data;
  uint64_t key = 0;
  int64_t position = 0;  ///< in the storage

  double plain(uint64_t bits) const {
    switch (data.distribution) {
      case Distribution::Normal:
      case Distribution::Specials: return normal(bits);
      case Distribution::Uniform: return 2 * uniform(bits) - 1;
      case Distribution::SmallInt: return static_cast<double>(integerBelow(bits, 2 * largestUsual + 1) - largestUsual);
      case Distribution::Zeros: return 0;
      case Distribution::Positive: return std::abs(normal(bits)) + 0.0625;
      case Distribution::Levels: return normal(bits) + level();
      case Distribution::Far: return far(dtype, bits);
      case Distribution::Spread: return spread(bits);
    }
    return 0;
  }
  double level() const {
    constexpr int64_t block = 4096;
    return 4 * normal(randomBits(~key, static_cast<uint64_t>(position / block)));
  }
  /// `value`, or a special one where it is the turn of one.
  double orSpecial(double value, uint64_t bits, bool isFinite = false) const {
    constexpr int64_t block = 4096, blocks = 4;
    const uint64_t other = randomBits(bits, 0);
    const bool hasTurn = data.distribution == Distribution::Specials && position / block % blocks == 0 && other % 8 == 0;
    const double found = hasTurn ? special(dtype, other >> 3) : value;
    return isFinite && !std::isfinite(found) ? value : found;
  }

  /// Of a domain of its own: far from zero, or of another magnitude, where that is asked for.
  double orOther(double value, uint64_t bits) const {
    if (data.distribution == Distribution::Spread) return std::copysign(spread(bits), value);
    return data.distribution == Distribution::Far ? plain(bits) : orSpecial(value, bits);
  }

  double operator()(const Plain&, uint64_t bits) const { return orSpecial(data.scale * plain(bits), bits); }
  double operator()(const Finite&, uint64_t bits) const { return orSpecial(data.scale * plain(bits), bits, true); }
  double operator()(const Tame&, uint64_t bits) const { return data.scale * plain(bits); }
  double operator()(const Uniform& range, uint64_t bits) const { return range.low + (range.high - range.low) * uniform(bits); }
  double operator()(const Positive&, uint64_t bits) const { return orOther(std::abs(normal(bits)) + 0.0625, bits); }
  double operator()(const NonZero& range, uint64_t bits) const {
    const double value = awayFromZero(normal(bits));
    return range.isTame ? value : orOther(value, bits);
  }
  double operator()(const Halves& range, uint64_t bits) const {
    const bool isTheirs = data.distribution == Distribution::Normal || data.distribution == Distribution::Specials;
    return isTheirs ? orSpecial(data.scale * halves(bits), bits, range.isFinite) : (*this)(Plain{}, bits);
  }
  double operator()(const NonFinite&, uint64_t bits) const { return nonFinite(bits); }
  double operator()(const Below& range, uint64_t bits) const { return static_cast<double>(integerBelow(bits, range.bound)); }
};

struct IntegerDraw {
  ir::DType dtype;
  Distribution distribution;
  bool isSigned = ir::isSigned(dtype);

  int64_t plain(uint64_t bits) const {
    if (distribution == Distribution::Zeros) return 0;
    if (distribution == Distribution::Positive) return 1 + integerBelow(bits, largestUsual);
    const int64_t small =
        isSigned ? integerBelow(bits, 2 * largestUsual + 1) - largestUsual : integerBelow(bits, largestUsual + 1);
    if (distribution == Distribution::Spread) return orAny(small, bits);
    return distribution == Distribution::Far && dtype == ir::DType::I64 ? small + beyond32Bits(bits) : small;
  }
  /// In one of four cases any number that the dtype holds, of as many bits as chance says; of these one in eight is the largest
  /// and one in eight the smallest.
  int64_t orAny(int64_t small, uint64_t bits) const {
    const uint64_t kind = randomBits(bits, 0) % 32, any = randomBits(bits, 1);
    const int width = 8 * static_cast<int>(ir::sizeOf(dtype));
    const int64_t largest = largestInteger(dtype);
    if (kind >= 8) return small;
    if (kind == 0) return largest;
    if (kind == 1) return leastInteger(dtype);
    const auto magnitude =
        static_cast<int64_t>((any & static_cast<uint64_t>(largest)) >> (any >> 32) % static_cast<uint64_t>(width));
    return isSigned && (bits & 1) ? -magnitude : magnitude;
  }
  /// In one of four cases a number that 32 bits lose.
  static int64_t beyond32Bits(uint64_t bits) {
    const uint64_t kind = randomBits(bits, 0) % 8;
    return kind > 1 ? 0 : (kind == 0 ? 1 : -1) * (int64_t{1} << 33);
  }
  int64_t operator()(const Plain&, uint64_t bits) const { return plain(bits); }
  int64_t operator()(const Finite&, uint64_t bits) const { return plain(bits); }
  int64_t operator()(const Tame&, uint64_t bits) const {
    return distribution == Distribution::Spread ? IntegerDraw{dtype, Distribution::Normal}.plain(bits) : plain(bits);
  }
  int64_t operator()(const Uniform&, uint64_t bits) const { return plain(bits); }
  int64_t operator()(const Positive&, uint64_t bits) const { return 1 + integerBelow(bits, largestUsual); }
  int64_t operator()(const NonZero&, uint64_t bits) const {
    int64_t value = 1 + integerBelow(bits, largestUsual);
    return isSigned && (bits & 1) ? -value : value;
  }
  int64_t operator()(const Halves&, uint64_t bits) const { return plain(bits); }
  int64_t operator()(const NonFinite&, uint64_t bits) const { return plain(bits); }
  int64_t operator()(const Below& range, uint64_t bits) const { return integerBelow(bits, range.bound); }
};

struct BoolDraw {
  Distribution distribution;

  template <typename Any>
  bool operator()(const Any&, uint64_t bits) const {
    if (distribution == Distribution::Zeros) return false;
    return distribution == Distribution::Positive || bits >> 63 != 0;
  }
};

template <typename Element>
auto drawOf([[maybe_unused]] const ir::TensorType& type, [[maybe_unused]] uint64_t key, const Data& data) {
  if constexpr (std::is_same_v<Element, bool>) {
    return BoolDraw{data.distribution};
  } else if constexpr (std::is_floating_point_v<Element>) {
    return FloatDraw{type.dtype, data, key};
  } else {
    return IntegerDraw{type.dtype, data.distribution};
  }
}

/// Extents of a tensor in memory: 1 where a stride of 0 repeats elements.
ir::Shape addressed(const ir::TensorType& type) {
  ir::Shape extents = type.sizes;
  for (size_t d = 0; d < extents.size(); ++d)
    if (type.strides[d] == 0) extents[d] = std::min<int64_t>(extents[d], 1);
  return extents;
}

/// Calls `visit(coordinates, offset, number)` for the addressed elements with these row-major numbers.
template <typename Visit>
void forElements(const ir::TensorType& type, const ir::Shape& extents, int64_t begin, int64_t end, Visit visit) {
  ir::Shape at(extents.size(), 0);
  int64_t offset = 0, rest = begin;
  for (size_t d = at.size(); d-- > 0; rest /= extents[d]) {
    at[d] = rest % extents[d];
    offset += at[d] * type.strides[d];
  }
  for (int64_t number = begin; number < end; ++number) {
    visit(at, offset, number);
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < extents[d]) {
        offset += type.strides[d];
        break;
      }
      offset -= (extents[d] - 1) * type.strides[d];
      at[d] = 0;
    }
  }
}

/// The same for all of them, on several threads where they are many.
template <typename Visit>
void forEachElement(const ir::TensorType& type, Visit visit) {
  constexpr int64_t ofThread = 1 << 16;
  const ir::Shape extents = addressed(type);
  const int64_t count = std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
  const auto visitPart = [&](int64_t part) {
    forElements(type, extents, part * ofThread, std::min(count, (part + 1) * ofThread), visit);
  };
  if (count <= ofThread) return visitPart(0);
  ir::inParallel(static_cast<size_t>((count + ofThread - 1) / ofThread),
                 [&](size_t part) { visitPart(static_cast<int64_t>(part)); });
}

}  // namespace

Magnitudes magnitudesOf(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::F8E4M3: return {0x1p-9, 0x1p-6, 448};
    case ir::DType::F8E5M2: return {0x1p-16, 0x1p-14, 57344};
    case ir::DType::F16:
    case ir::DType::C32: return {0x1p-24, 0x1p-14, 65504};
    case ir::DType::BF16: return {0x1p-133, 0x1p-126, 0x1p40};
    case ir::DType::F64:
    case ir::DType::C128: return {0x1p-1074, 0x1p-1022, 0x1p300};
    default: return {0x1p-149, 0x1p-126, 0x1p40};
  }
}

int64_t largestInteger(ir::DType dtype) {
  if (dtype == ir::DType::Bool) return 1;
  const auto width = 8 * static_cast<int>(ir::sizeOf(dtype)) - (ir::isSigned(dtype) ? 1 : 0);
  return static_cast<int64_t>(~uint64_t{0} >> (64 - width));
}

int64_t leastInteger(ir::DType dtype) { return ir::isSigned(dtype) && dtype != ir::DType::Bool ? -largestInteger(dtype) - 1 : 0; }

int64_t drawnElements(const ir::TensorType& type, const ValueRange& domain) {
  const int64_t all = type.storageElements();
  // Places that repeat would be found in caches.
  const bool isOfPlaces = std::holds_alternative<ByPosition>(domain) || std::holds_alternative<Below>(domain);
  return isOfPlaces ? all : std::min(all, period);
}

/// Whether elements are normal numbers that are scaled, and nothing else.
template <typename Kind>
bool areNormal(const Data& data) {
  const bool mayBe = std::is_same_v<Kind, Plain> || std::is_same_v<Kind, Finite> || std::is_same_v<Kind, Tame>;
  return mayBe && data.distribution == Distribution::Normal;
}

template <typename Element>
void fillNormal(uint64_t key, double scale, Element* storage, int64_t count) {
  constexpr int64_t piece = 1024;
  std::array<double, piece> numbers;
  for (int64_t start = 0; start < count; start += piece) {
    const int64_t length = std::min(piece, count - start);
    drawNormals(key, static_cast<uint64_t>(start), std::span(numbers).first(static_cast<size_t>(length)));
    for (int64_t i = 0; i < length; ++i) storage[start + i] = static_cast<Element>(scale * numbers[static_cast<size_t>(i)]);
  }
}

template <typename Element>
void fillStorage(const ir::TensorType& type, const ValueRange& domain, uint64_t key, Element* storage, const Data& data) {
  const int64_t parts = ir::isComplex(type.dtype) ? 2 : 1;
  const int64_t count = drawnElements(type, domain) * parts;
  if (count == 0) return;
  auto draw = drawOf<Element>(type, key, data);
  auto fill = [&](const auto& kind) {
    if constexpr (std::is_floating_point_v<Element>)
      if (areNormal<std::decay_t<decltype(kind)>>(data)) return fillNormal(key, data.scale, storage, count);
    if constexpr (std::is_same_v<std::decay_t<decltype(kind)>, ByPosition>) {
      std::fill_n(storage, count, Element{});
      forEachElement(type, [&](const ir::Shape& at, int64_t offset, int64_t number) {
        storage[offset * parts] = static_cast<Element>(kind.value(at, randomBits(key, static_cast<uint64_t>(number))));
      });
    } else {
      for (int64_t i = 0; i < count; ++i) {
        if constexpr (std::is_floating_point_v<Element>) draw.position = i;
        storage[i] = static_cast<Element>(draw(kind, randomBits(key, i)));
      }
    }
  };
  std::visit(fill, domain);
}

template void fillStorage(const ir::TensorType&, const ValueRange&, uint64_t, float*, const Data&);
template void fillStorage(const ir::TensorType&, const ValueRange&, uint64_t, double*, const Data&);
template void fillStorage(const ir::TensorType&, const ValueRange&, uint64_t, int64_t*, const Data&);
template void fillStorage(const ir::TensorType&, const ValueRange&, uint64_t, bool*, const Data&);

}  // namespace inputs
