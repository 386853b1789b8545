#pragma once

#include <map>
#include <optional>

#include "ir/index/range.h"
#include "ir/loops.h"

namespace lowering {

/// An offset as `linear + rest`: the rest is not affine, such as the row that an index tensor names.
struct MixedOffset {
  ir::Affine linear;
  const ir::Expr* rest = nullptr;
  int64_t step = 1;  ///< the rest is a multiple of it
  ir::Range range;   ///< of the rest
};
/// Nothing where nothing is affine, or everything.
std::optional<MixedOffset> mixedOffset(ir::ExprPool& pool, const ir::Expr* offset);

/// One read or write of loops.
struct Access {
  int buffer = 0;
  int64_t elementBytes = 0;
  const ir::Expr* node = nullptr;    ///< the Load; null for a store
  const ir::Expr* offset = nullptr;  ///< as in the loops
  std::optional<ir::Affine> form;    ///< of the offset, where it is affine
  std::optional<MixedOffset> mixed;  ///< else; of reductions for rows that memory names alone

  std::optional<ir::Op> accumulate = {};  ///< of a store
  ir::DType dtype = ir::DType::F32;       ///< of the buffer

  bool isMasked() const { return node != nullptr && node->isMasked(); }
  /// What is affine of the offset; null where nothing is.
  const ir::Affine* linear() const { return form ? &*form : mixed ? &mixed->linear : nullptr; }
  /// Whether what is not affine of the offset depends on an axis, or may.
  bool isIndirect(const ir::Expr* axis) const;
};

/// The axes of some loops, each with the axis of other loops that it becomes.
using Renaming = std::map<const ir::Expr*, const ir::Expr*>;
/// Each axis of one affine form with the axis of another that has its stride; nothing where they differ or where two axes have
/// the same stride and extent.
std::optional<Renaming> renaming(const ir::Affine& from, const ir::Affine& to);

}  // namespace lowering
