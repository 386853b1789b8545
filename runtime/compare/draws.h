#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/torch/tensor_list.h"

namespace runtime {

struct AtenCall;

/// Random numbers that a call drew, beside what their distribution says of them: of the first elements, as they lie in memory.
struct Draws {
  int output = 0;
  std::string impossible;          ///< what no draw is, anywhere: `has 0.5, which is neither 0 nor 1`; else empty
  std::vector<double> deviations;  ///< from their means: of the numbers, or of their places
  std::vector<double> variances;   ///< of the deviations
  double range = 1;                ///< the largest deviation there can be
  /// The values of the distribution function at numbers that may be anything between two bounds: they are uniform in [0, 1];
  /// empty for coins.
  std::vector<double> places;
  double placeError = 0;      ///< how far a place may be off, as numbers are rounded
  double logOfEqual = 0;      ///< logarithm of the chance that two runs draw the same
  std::vector<int64_t> lags;  ///< distances at which elements are neighbours along a dimension
};

/// The random numbers among the outputs of a call; nothing where its distribution is not known.
std::optional<Draws> drawsOf(AtenCall& call, const TensorList& outputs);

/// What an output has to be, given what was drawn: the first one of dropout.
struct Derived {
  TensorList eager;    ///< the outputs with that one as eager computes it
  TensorList float64;  ///< and in float64
};
std::optional<Derived> derivedFromDraws(AtenCall& call, const TensorList& outputs);

}  // namespace runtime
