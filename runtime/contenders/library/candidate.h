#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/contenders/library/arguments.h"

namespace runtime::library {

/// Computes the results of a call. Their dtypes and sizes are eager's; other strides are converted to eager's afterwards.
using Way = std::function<Results(const Arguments&)>;
/// How a candidate computes calls of the structure that these arguments have (devices, dtypes, sizes, strides and all that is no
/// tensor); nothing where it does not apply. The elements of tensors are not to be read.
using WayFor = std::function<Way(const Arguments&)>;

/// An equivalent way to compute calls of some ATen operators with ATen or a library, registered by being defined: `const
/// Candidate outer{"mul", {"aten::mm", "aten::bmm"}, ...};`. Functional operators alone have candidates: none that writes its
/// arguments.
class Candidate {
 public:
  Candidate(std::string name, const std::vector<std::string>& operators, const WayFor& wayFor);
};

/// A candidate of one operator.
struct Registered {
  std::string op;    ///< `aten::convolution`: all its overloads
  std::string name;  ///< `channels_last`
  WayFor wayFor;
};
/// Every candidate that was defined, by operator and name.
const std::vector<Registered>& registered();

}  // namespace runtime::library
