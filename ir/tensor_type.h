#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/dtype.h"

namespace ir {

using Shape = std::vector<int64_t>;
using Strides = std::vector<int64_t>;

/// Strides, in elements, of a dense row-major tensor of these sizes (ATen's: an extent of 0 counts as 1).
Strides contiguousStrides(const Shape& sizes);

/// The static type of a strided tensor: dtype, sizes, and strides in elements.
struct TensorType {
  DType dtype = DType::F32;
  Shape sizes;
  Strides strides;

  /// A dense row-major tensor.
  static TensorType contiguous(DType dtype, Shape sizes);

  int64_t rank() const { return static_cast<int64_t>(sizes.size()); }
  int64_t numel() const;
  /// Elements from the first to the last one addressed, both included; 0 for an empty tensor.
  int64_t storageElements() const;
  /// Bytes of distinct elements addressed: a dimension of stride 0 counts once, an overlapping tensor as its storage.
  int64_t bytesTouched() const;
  bool isContiguous() const;
  /// Whether it is dense, the first dimension outermost and the second one innermost: ATen's channels_last of four dimensions,
  /// channels_last_3d of five.
  bool hasChannelsLast() const;

  bool operator==(const TensorType&) const = default;
};

/// `f16[2, 3]`, with ` strides (1, 2)` after it unless contiguous.
std::string toText(const TensorType& type);

}  // namespace ir
