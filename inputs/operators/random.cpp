#include "inputs/operators/facts.h"

namespace inputs {

Family randomFacts() {
  static const OperatorFacts rows[] = {
      {"bernoulli", {{0, probability}, {1, probability}}, {{Rule::Random}}},
      {"normal", {{0, Tame{}}, {1, variance}}, {{Rule::Random}}},
      {.operators = "cauchy dropout exponential geometric log_normal native_dropout normal_functional rand rand_like randint "
                    "randint_like randn randn_like random uniform",
       .judged = {{Rule::Random}}},
      {.operators = "bernoulli_ normal_ random_ uniform_", .reads = {{"self", Reads::Nothing}}},
      // Are random in other ways.
      {"multinomial", {{0, probability}}, {{Rule::TypeOnly}}},
      {.operators = "randperm rrelu_with_noise", .judged = {{Rule::TypeOnly}}},
  };
  return rows;
}

}  // namespace inputs
