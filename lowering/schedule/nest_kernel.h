#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/kernel.h"
#include "lowering/analysis/iteration_domain.h"
#include "lowering/analysis/reduction_nest.h"
#include "lowering/kernel/statements.h"
#include "lowering/schedule/vectorize.h"

namespace lowering {

/// What schedules of a nest share: the kernel in the making, its local arrays, and bodies at a place.
class NestKernel {
 public:
  NestKernel(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target);

  ir::ExprPool& pool() const { return *loops_.pool; }
  const std::string& bufferName(int buffer) const { return loops_.buffers[static_cast<std::size_t>(buffer)].name; }
  const ReductionNest& nest() const { return nest_; }
  const IterationDomain& domain() const { return domain_; }
  Value number(int64_t value) const { return {pool(), pool().integer(ir::DType::I64, value)}; }
  /// A loop variable; the number 0 where it takes one value.
  Value axis(int64_t extent) const { return extent == 1 ? number(0) : Value{pool(), pool().axis(extent)}; }

  /// Adds a local array and returns its buffer number; `stem` is made a name of its own.
  int addLocal(const std::string& stem, ir::DType dtype, int64_t elements, ir::Space space, int lanes = 1);
  /// Adds the accumulators of the reductions, `elements` each, numbered as ReductionNest says.
  void addAccumulators(int64_t elements, int lanes);
  int accumulator(std::size_t reduction) const { return static_cast<int>(loops_.buffers.size() + reduction); }
  /// The reductions of a traversal, by number.
  std::vector<std::size_t> reductionsOf(int traversal) const;

  /// Sets the first `lanes` elements of accumulators to what a combination starts from.
  ir::Statement reset(const std::vector<std::size_t>& reductions, int lanes) const;

  /// A vector of a local array from an offset on.
  const ir::Expr* vector(int local, ir::DType dtype, const ir::Expr* offset) const {
    return pool().load(local, dtype, offset, ir::LoadMode::Contiguous);
  }
  /// `lanes` of an axis with nothing in them yet.
  ir::Lanes lanes(const LanePlace& place) const;
  /// Adds a traversal's bodies at a place to their accumulators: lane by lane (`apart`), or all lanes to the first element.
  std::vector<ir::Store> reductionStores(int traversal, const LanePlace& place, const LoadMap& loads, bool apart) const;
  /// The element or row stores at a place.
  std::vector<ir::Store> elementStores(const LanePlace& place, const LoadMap& loads) const;
  std::vector<ir::Store> rowStores(const LanePlace& place, const LoadMap& loads) const;

  /// The finished kernel.
  ir::Kernel assemble(ir::Launch launch, ir::Block body);

 private:
  std::vector<ir::Store> stores(const std::vector<ir::StoreTo>& which, std::size_t firstAccess, const LanePlace& place,
                                const LoadMap& loads) const;

  const ir::Loops& loops_;
  const ReductionNest& nest_;
  const IterationDomain& domain_;
  ir::Kernel kernel_;
};

}  // namespace lowering
