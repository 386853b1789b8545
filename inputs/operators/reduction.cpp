#include "inputs/operators/facts.h"

namespace inputs {
namespace {

Domain alongDimOfInput(const Call& call) { return below(call.sizeAlong(1, 3), call.tensor(2)); }

}  // namespace

Family reductionFacts() {
  static const OperatorFacts rows[] = {
      // The mean of infinite elements is infinite or NaN, as eager's vectors, threads and devices share them out.
      {"var std var_mean std_mean", {{0, Finite{}}}},
      {"cummaxmin_backward", {{2, alongDimOfInput}}},
  };
  return rows;
}

}  // namespace inputs
