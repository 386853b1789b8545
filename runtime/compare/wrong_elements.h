#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/torch/tensor_list.h"

namespace runtime {

/// The elements of an output that are wrong one by one, whatever all of them together are.
struct WrongElements {
  int64_t count = 0;
  int64_t of = 0;                    ///< the output's elements
  std::vector<int64_t> first, last;  ///< their indices, in row-major order
  std::string part;  ///< the part of the output that they are: `all`, `[:, 760:768]`, `the last 3 in row-major order`; else empty
};

/// Looks for them in output i: elements that are not eager's where `isExact`, others that are further from the float64 outputs,
/// or from eager's where there are none, than compare() lets them be. Nothing is counted in outputs of more than 16 million
/// elements.
WrongElements wrongElements(const TensorList& found, const TensorList& eager, const TensorList& float64, int i, double tolerance,
                            bool isExact);

/// As many elements of output i as would make up its squared error against the float64 outputs if all of these were off by the
/// same: a half of them, about, where errors are random, and few where few make most of it. Values that are not finite do not
/// count, nor do outputs of more than 16 million elements.
double erringElements(const TensorList& found, const TensorList& float64, int i);
/// The share of output i's squared error against the float64 outputs that an error common to all of its elements makes: next to
/// nothing where errors are random, 1 where all elements are off by the same. The same values and outputs do not count.
double commonError(const TensorList& found, const TensorList& float64, int i);

/// The part of a tensor of these sizes that its elements at these places, in row-major order and rising, are.
std::string partOf(const std::vector<int64_t>& places, const std::vector<int64_t>& sizes);

/// `384 of 49152 elements are wrong: [:, 760:768]`; empty where none is.
std::string toText(const WrongElements& wrong);

}  // namespace runtime
