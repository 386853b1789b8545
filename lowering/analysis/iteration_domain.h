#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ir/loops.h"
#include "ir/walk.h"
#include "lowering/analysis/access.h"
#include "lowering/analysis/reduction_nest.h"

namespace lowering {

/// Axes that every access runs through as one: outermost first.
struct Dim {
  int64_t extent = 1;
  std::vector<const ir::Expr*> axes;
};

/// Positions along the dims, one I64 expression each.
using Position = std::vector<const ir::Expr*>;
/// Loads of the loops, and what is read in their place.
using LoadMap = std::map<const ir::Expr*, const ir::Expr*>;

/// The iteration space of loops in the order in which they run through memory, with as few dims as the accesses allow; what
/// all schedules start from.
class IterationDomain {
 public:
  /// Of loops without reductions: ordered as the first store is.
  explicit IterationDomain(const ir::Loops& loops);
  /// Of a nest: first the dims of a row's number, then, from `elementDims()` on, its elements' dims; each in the order
  /// of an access that runs along the axis along which most bytes are moved.
  IterationDomain(const ir::Loops& loops, const ReductionNest& nest);
  /// The same in the order of one of the nest's stores.
  IterationDomain(const ir::Loops& loops, const ReductionNest& nest, const ir::StoreTo& order);

  ir::ExprPool& pool() const { return *pool_; }
  const std::vector<Dim>& dims() const { return dims_; }
  std::size_t elementDims() const { return elementDims_; }
  /// Of a nest: whether it is an inner reduction, contiguous along the reduced axes; else an outer (column) one, contiguous along
  /// the kept axes.
  bool runsAlongElements() const { return runsAlongElements_; }
  const std::vector<Access>& stores() const { return stores_; }
  const std::vector<Access>& loads() const { return loads_; }
  /// Whether a buffer is read and written.
  bool isInPlace() const;
  int64_t numel() const { return numel(0, dims_.size()); }
  /// Points of the dims from `begin` to before `end`.
  int64_t numel(std::size_t begin, std::size_t end) const;
  const Dim& inner() const { return dims_.back(); }
  std::size_t innermost() const { return dims_.size() - 1; }

  /// Elements from one position to the next along a dim, by what is affine of the access.
  int64_t stride(const Access& access, std::size_t dim) const { return access.linear()->of(dims_[dim].axes.back()); }
  bool isContiguous(const Access& access, std::size_t dim) const { return !isIndirect(access, dim) && stride(access, dim) == 1; }
  bool isUniform(const Access& access, std::size_t dim) const { return !isIndirect(access, dim) && stride(access, dim) == 0; }
  /// Whether what is not affine of an access depends on a dim, or may.
  bool isIndirect(const Access& access, std::size_t dim) const;
  bool isInnerContiguous(const Access& access) const { return isContiguous(access, innermost()); }
  bool isInnerUniform(const Access& access) const { return isUniform(access, innermost()); }
  /// Whether the access runs through its memory without gaps, in the order of iteration, from a multiple of `lanes`.
  bool isFlat(const Access& access, int lanes) const;
  /// Whether an access contiguous along `dim` starts at a multiple of `lanes` elements wherever the position along it is one.
  bool isAligned(const Access& access, int lanes, std::size_t dim) const;
  /// Whether the access moves along any of the dims from `begin` to before `end`, or may where nothing of it is affine.
  bool moves(const Access& access, std::size_t begin, std::size_t end) const;
  /// Whether a load's mask depends on any of them.
  bool isMaskedAlong(const Access& load, std::size_t begin, std::size_t end) const;
  /// Whether a load may have another value elsewhere along any of them.
  bool varies(const Access& load, std::size_t begin, std::size_t end) const {
    return moves(load, begin, end) || isMaskedAlong(load, begin, end);
  }

  /// Whether any of the stores accumulates.
  bool accumulates() const;

  /// The offset of an access at a position, where it is not affine with its loads replaced.
  const ir::Expr* offset(const Access& access, const Position& position, const LoadMap& loads = {}) const;
  /// The read of an access at an offset: with its mask, if it has one, at a position.
  const ir::Expr* load(const Access& access, const ir::Expr* offset, ir::LoadMode mode, const Position& position,
                       const LoadMap& loads) const;
  /// What an access reads at a position by a copy that was made of it where its mask holds.
  const ir::Expr* copied(const Access& access, const ir::Expr* copy, const Position& position, const LoadMap& loads) const;
  /// An expression of the loops (but its loads' offsets) with axes replaced by what they are at a position, and loads by `loads`.
  const ir::Expr* at(const ir::Expr* expr, const Position& position, const LoadMap& loads) const;
  /// Splits a row-major number over the dims from `begin` to before `end` into a position of those.
  Position unflatten(const ir::Expr* number, std::size_t begin, std::size_t end) const;

 private:
  void addAccesses(const ir::Loops& loops, const std::vector<ir::StoreTo>& stores, const std::vector<const ir::Expr*>& values);
  /// The access that moves most bytes, among affine ones (wholly or in part) along the axis along which most bytes are
  /// moved. A kept axis needs only almost as many as a reduced one: tiles of columns keep the cache lines that lie
  /// across them.
  const Access& leading(const ReductionNest& nest) const;
  void addNest(const ir::Loops& loops, const ReductionNest& nest, const ir::StoreTo* order);
  void addDims(const std::vector<const ir::Expr*>& axes, const std::vector<const ir::Expr*>& values);
  const ir::Expr* axisAt(const ir::Expr* axis, const Position& position) const;

  ir::ExprPoolPtr pool_;
  std::vector<Dim> dims_;
  std::size_t elementDims_ = 0;
  bool runsAlongElements_ = true;
  std::vector<Access> stores_, loads_;
  std::vector<Access> draws_;  ///< random words, whose indices are offsets that touch no memory
};

}  // namespace lowering
