// Any bytes, drawn from to make an index expression: simplified it has the same value at every point, and is simplified no
// further.
#include <cstdint>
#include <cstdlib>

#include "ir/index/simplify.h"
#include "tests/fuzz/target.h"
#include "tests/random_index.h"

FUZZ_TARGET(simplify_fuzz)(const uint8_t* data, size_t size) {
  tests::IndexLoops loops;
  size_t at = 0;
  const auto below = [&](uint64_t bound) -> uint64_t { return at < size ? data[at++] % bound : 0; };
  tests::RandomIndex random(loops.pool(), loops.leaves, below);
  const ir::Expr* written = random.make(6);
  const ir::Expr* simple = ir::simplify(loops.pool(), written);
  if (ir::simplify(loops.pool(), simple) != simple || !loops.areSame(written, simple)) std::abort();
  return 0;
}
