#pragma once

#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"

namespace lowering {

/// The place that an index from memory names along a dimension of so many elements, and whether there is one from `least` on.
/// Whatever is in memory, no other element is read or written.
inline Place placeOf(Value index, int64_t extent, int64_t least = 0) {
  const Value wide = cast(index, ir::DType::I64);
  const Value at = min(max(wide, least), extent - 1);
  return {at, at == wide};
}

/// A place that counts from the end where it is negative.
inline Place fromEnd(const Place& place, int64_t extent) {
  return {where(place.at < 0, place.at + extent, place.at), place.exists};
}

}  // namespace lowering
