#include "inputs/operators/facts.h"

namespace inputs {

Family randomFacts() {
  static const OperatorFacts rows[] = {
      {"bernoulli", {{0, probability}, {1, probability}}},
      {"multinomial", {{0, probability}}},
      {"normal", {{0, Tame{}}, {1, variance}}},
  };
  return rows;
}

}  // namespace inputs
