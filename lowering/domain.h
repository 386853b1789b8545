#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ir/loops.h"
#include "ir/walk.h"

namespace lowering {

/// One read or write of loops.
struct Access {
  int buffer = 0;
  int64_t elementBytes = 0;
  const ir::Expr* node = nullptr;    ///< the Load; null for a store
  const ir::Expr* offset = nullptr;  ///< as in the loops
  std::optional<ir::Affine> form;    ///< of the offset, where it is affine
};

/// Axes that every access runs through as one: outermost first.
struct Dim {
  int64_t extent = 1;
  std::vector<const ir::Expr*> axes;
};

/// Positions along the dims, one I64 expression each.
using Position = std::vector<const ir::Expr*>;

/// The iteration space of loops in the order in which the first store runs through memory, with as few dims as the
/// accesses allow; what both schedules start from.
class Domain {
 public:
  explicit Domain(const ir::Loops& loops);

  const std::vector<Dim>& dims() const { return dims_; }
  const std::vector<Access>& stores() const { return stores_; }
  const std::vector<Access>& loads() const { return loads_; }
  int64_t numel() const;
  const Dim& inner() const { return dims_.back(); }

  /// Elements from one position to the next along a dim; the access is affine.
  int64_t stride(const Access& access, std::size_t dim) const { return access.form->of(dims_[dim].axes.back()); }
  bool isInnerContiguous(const Access& access) const { return access.form && stride(access, dims_.size() - 1) == 1; }
  bool isInnerUniform(const Access& access) const { return access.form && stride(access, dims_.size() - 1) == 0; }
  /// Whether the access runs through its memory without gaps, in the order of iteration, from a multiple of `lanes`.
  bool isFlat(const Access& access, int lanes) const;
  /// Whether an inner-contiguous access starts at a multiple of `lanes` elements wherever the inner position is one.
  bool isAligned(const Access& access, int lanes) const;

  /// The offset of an access at a position.
  const ir::Expr* offset(const Access& access, const Position& position) const;
  /// An expression of the loops (but its loads' offsets) with axes replaced by what they are at a position, and loads by `loads`.
  const ir::Expr* at(const ir::Expr* expr, const Position& position,
                     const std::map<const ir::Expr*, const ir::Expr*>& loads) const;
  /// Splits a row-major number over the dims before `end` into a position of those.
  Position unflatten(const ir::Expr* number, std::size_t end) const;

 private:
  const ir::Expr* axisAt(const ir::Expr* axis, const Position& position) const;

  ir::ExprPoolPtr pool_;
  std::vector<Dim> dims_;
  std::vector<Access> stores_, loads_;
};

}  // namespace lowering
