#pragma once

#include <iterator>
#include <vector>

#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"

namespace lowering {

/// Windows along a dimension: the window of output `o` has the input's elements `o * stride - padding + i * dilation` for each i
/// below `kernel`, as far as they exist.
struct Window {
  int64_t kernel = 1, stride = 1, padding = 0, dilation = 1;
  int64_t input = 1, output = 1;  ///< extents

  int64_t span() const { return (kernel - 1) * dilation + 1; }
  /// In so many windows an element is at most.
  int64_t mostOutputs() const;
  Value first(Value output) const { return output * stride - padding; }
  /// The elements of an output's window; the outputs in whose windows an element is.
  Places elements(Value output) const;
  Places outputs(Value element) const;
  /// Element number `i` of an output's window; the number of an element in it, which has it.
  Place element(Value output, Value i) const;
  Value number(Value output, Value element) const;
};

/// The windows of a call along the last dimensions of a tensor of these sizes: `kernel_size`, `stride`, `padding` and, where
/// there is one, `dilation` are lists of as many numbers, or one for all; without a stride it is the kernel's size.
std::vector<Window> windowsOf(const Context& c, const ir::Shape& input, const ir::Shape& output, std::size_t dims);

/// Error: Unsupported where so many elements are no straight-line code.
void requireFew(int64_t elements);

/// The elements at the places that each of some windows gives for the index along one of the last dimensions. Error: as
/// requireFew.
template <typename Along>
std::vector<Element> elementsOf(const std::vector<Along>& windows, const Index& index, Places (Along::*places)(Value) const) {
  const Index last = trailing(index, windows.size());
  std::vector<Places> all;
  int64_t elements = 1;
  for (std::size_t d = 0; d < windows.size(); ++d) {
    all.push_back((windows[d].*places)(last[d]));
    elements *= std::ssize(all.back());
    requireFew(elements);
  }
  return elementsAt({leading(index, windows.size())}, all);
}

}  // namespace lowering
