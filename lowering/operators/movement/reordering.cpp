// The elements of a tensor in another order.
#include <utility>

#include "lowering/tensor/lowering.h"

namespace lowering {
namespace {

/// The element of `self` at another index for each one.
Tensors reordered(Context& c, const std::function<Index(const Tensor& self, Index index)>& from) {
  const Tensor self = c.tensor("self");
  return {lazy(self.dtype, c.outputType().sizes, [self, from](const Index& index) { return self.at(from(self, index)); })};
}

/// A call's dimensions, in its order.
std::vector<std::size_t> dimsInOrder(const Context& c, const char* name, std::size_t rank) {
  std::vector<std::size_t> dims;
  for (const int64_t dim : c.integers(name))
    dims.push_back(static_cast<std::size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim));
  return dims;
}

const Lowering flip{"aten::flip", [](Context& c) {
                      const std::vector<std::size_t> dims = dimsInOrder(c, "dims", c.outputType().sizes.size());
                      return reordered(c, [dims](const Tensor& self, Index index) {
                        for (const std::size_t d : dims) index[d] = (self.sizes[d] - 1) - index[d];
                        return index;
                      });
                    }};

/// Elements whose last dimensions repeat `self`'s.
const Lowering repeat{"aten::repeat", [](Context& c) {
                        return reordered(c, [](const Tensor& self, Index index) {
                          index.erase(index.begin(), index.end() - static_cast<std::ptrdiff_t>(self.sizes.size()));
                          for (std::size_t d = 0; d < index.size(); ++d) index[d] = mod(index[d], self.sizes[d]);
                          return index;
                        });
                      }};

/// Along dimensions, or, without any, along all elements in their order.
Tensors rollOf(Context& c) {
  const std::vector<int64_t> shifts = c.integers("shifts");
  const std::vector<std::size_t> dims = dimsInOrder(c, "dims", c.outputType().sizes.size());
  const auto rolled = [](Value index, int64_t shift, int64_t extent) {
    return mod(index + ((extent - shift % extent) % extent), extent);
  };
  return reordered(c, [=](const Tensor& self, Index index) {
    for (std::size_t i = 0; i < dims.size(); ++i) index[dims[i]] = rolled(index[dims[i]], shifts[i], self.sizes[dims[i]]);
    if (!dims.empty() || index.empty()) return index;
    return unflattened(rolled(flattened(index, self.sizes), shifts.front(), numelOf(self.sizes)), self.sizes);
  });
}
const Lowering roll{"aten::roll", rollOf};

Tensors rot90Of(Context& c) {
  const std::vector<std::size_t> dims = dimsInOrder(c, "dims", c.outputType().sizes.size());
  const int64_t quarters = ((c.integer("k") % 4) + 4) % 4;
  return reordered(c, [=, from = dims[0], to = dims[1]](const Tensor& self, Index index) {
    if (quarters % 2 == 1) std::swap(index[from], index[to]);
    if (quarters == 1 || quarters == 2) index[to] = (self.sizes[to] - 1) - index[to];
    if (quarters == 3 || quarters == 2) index[from] = (self.sizes[from] - 1) - index[from];
    return index;
  });
}
const Lowering rot90{"aten::rot90", rot90Of};

// ---------------------------------------------------------------------------------------------------------------------
// Copies of views.

Tensors transposed(Context& c, std::size_t dim0, std::size_t dim1) {
  return reordered(c, [=](const Tensor&, Index index) {
    if (!index.empty()) std::swap(index[dim0], index[dim1]);
    return index;
  });
}
/// The same elements in their order.
Tensors reshapedCopy(Context& c) {
  return reordered(c, [&pool = c.pool(), sizes = c.outputType().sizes](const Tensor& self, const Index& index) {
    Index from = reshaped(pool, index, sizes, self.sizes);
    for (Value& place : from) place = simplified(place);
    return from;
  });
}

const Lowering permuteCopy{"aten::permute_copy", [](Context& c) {
                             const std::vector<std::size_t> dims = dimsInOrder(c, "dims", c.outputType().sizes.size());
                             return reordered(c, [dims](const Tensor&, const Index& index) {
                               Index from = index;
                               for (std::size_t d = 0; d < dims.size(); ++d) from[dims[d]] = index[d];
                               return from;
                             });
                           }};
const Lowering transposeCopy{"aten::transpose_copy", [](Context& c) {
                               const std::size_t rank = c.outputType().sizes.size();
                               return transposed(c, static_cast<std::size_t>(c.dim("dim0", rank)),
                                                 static_cast<std::size_t>(c.dim("dim1", rank)));
                             }};
const Lowering tCopy{"aten::t_copy", [](Context& c) { return transposed(c, 0, c.outputType().sizes.size() == 2 ? 1 : 0); }};
const Lowering expandCopy{"aten::expand_copy",
                          [](Context& c) { return Tensors{expand(c.tensor("self"), c.outputType().sizes)}; }};
const Lowering viewCopy{"aten::view_copy.default", reshapedCopy};
const Lowering reshapeCopy{"aten::_reshape_copy", reshapedCopy};
const Lowering squeezeCopy{"aten::squeeze_copy", reshapedCopy};
const Lowering unsqueezeCopy{"aten::unsqueeze_copy", reshapedCopy};

/// Each window along a dimension is a slice, whose elements are along a new last dimension.
const Lowering unfoldCopy{"aten::unfold_copy", [](Context& c) {
                            const auto dim = static_cast<std::size_t>(c.dim("dimension", c.tensor("self").sizes.size()));
                            return reordered(c, [dim, step = c.integer("step")](const Tensor& self, Index index) {
                              if (!self.sizes.empty()) index[dim] = index[dim] * step + index.back();
                              index.pop_back();
                              return index;
                            });
                          }};

// ---------------------------------------------------------------------------------------------------------------------
// Channels.

/// Squares of pixels from as many channels.
const Lowering pixelShuffle{"aten::pixel_shuffle", [](Context& c) {
                              return reordered(c, [side = c.integer("upscale_factor")](const Tensor&, Index index) {
                                Value &x = index.back(), &y = index[index.size() - 2], &channel = index[index.size() - 3];
                                channel = (channel * side + mod(y, side)) * side + mod(x, side);
                                y = floorDiv(y, side);
                                x = floorDiv(x, side);
                                return index;
                              });
                            }};
const Lowering pixelUnshuffle{"aten::pixel_unshuffle", [](Context& c) {
                                return reordered(c, [side = c.integer("downscale_factor")](const Tensor&, Index index) {
                                  Value &x = index.back(), &y = index[index.size() - 2], &channel = index[index.size() - 3];
                                  x = x * side + mod(channel, side);
                                  y = y * side + mod(floorDiv(channel, side), side);
                                  channel = floorDiv(channel, side * side);
                                  return index;
                                });
                              }};

/// One channel of each group after another.
Tensors shuffledChannels(Context& c) {
  return reordered(c, [groups = c.integer("groups")](const Tensor& self, Index index) {
    index[1] = mod(index[1], groups) * (self.sizes[1] / groups) + floorDiv(index[1], groups);
    return index;
  });
}
const Lowering channelShuffle{"aten::channel_shuffle", shuffledChannels};
const Lowering nativeChannelShuffle{"aten::native_channel_shuffle", shuffledChannels};

}  // namespace
}  // namespace lowering
