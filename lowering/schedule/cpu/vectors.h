#pragma once

#include <functional>
#include <optional>
#include <span>

#include "ir/kernel.h"
#include "ir/target.h"
#include "lowering/analysis/iteration_domain.h"
#include "lowering/kernel/statements.h"

namespace lowering {

/// How many elements there are before the first one where stores are aligned, and the most there can be.
struct Head {
  Value elements;
  int64_t most;
};

/// How a task on a CPU cuts neighbouring elements into vectors.
struct CpuVectors {
  int lanes = 1;
  int unroll = 1;                    ///< vectors that follow each other as straight-line code, each with the number of its turn
  std::optional<Value> repeat = {};  ///< an axis: a vector is taken at all of its values before the next one
  /// The statement of a vector at a place along the inner dim.
  using Use = std::function<ir::Lanes(Value column, Value step)>;

  /// `count` elements from `start` on: whole vectors, and what is left as a masked one. With a head this comes first, so that
  /// whole vectors are aligned; `count` is no less than its most elements.
  ir::Block along(Value start, int64_t count, const std::optional<Head>& head, const Use& use) const;

 private:
  ir::Block whole(Value start, int64_t vectors, const Use& use) const;
  ir::Block one(ir::Lanes lanes, const ir::Expr* active) const;
};

/// Those of a domain's stores that are made for every element.
using ElementStores = std::span<const Access>;

/// Whether stores run along a dim and vectors of `lanes` are aligned, as far as a register is long, wherever a position along it
/// is a multiple of `lanes`.
bool areAligned(const IterationDomain& domain, ElementStores stores, std::size_t dim, int lanes, const ir::Target& target);

/// Whether that holds for the inner dim, or a head brings it about.
bool canAlign(const IterationDomain& domain, ElementStores stores, int64_t count, int lanes, const ir::Target& target);

/// The head of the `count` elements from a position on, which fits a vector of `lanes`: after it no store touches two cache
/// lines.
/// Nothing where this holds anyway, where stores are not alike, and where there are too few elements to gain by it.
std::optional<Head> headOf(ir::ExprPool& pool, const IterationDomain& domain, ElementStores stores, const Position& position,
                           int64_t count, int lanes, const ir::Target& target);

/// Whether stores should bypass the caches: what is touched exceeds them, and results are written only, but for small ones.
bool exceedsCaches(const ir::Loops& loops, const ir::Target& target);

}  // namespace lowering
