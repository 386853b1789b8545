#include "inputs/operators/facts.h"

namespace inputs {
namespace {

/// A conversion to integers is undefined for NaN and for numbers that the integers cannot hold.
Domain converted(std::optional<ir::DType> to) {
  return {to && ir::isIntegral(*to) && *to != ir::DType::Bool ? ValueRange(Tame{}) : Plain{}};
}

}  // namespace

Family movementFacts() {
  static const OperatorFacts rows[] = {
      {"_to_copy", {{0, [](const Call& call) { return converted(call.dtype("dtype")); }}}},
      {"copy", {{1, [](const Call& call) { return converted(call.tensor(0).dtype); }}}},
  };
  return rows;
}

}  // namespace inputs
