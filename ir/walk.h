#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/expr.h"

namespace ir {

/// The nodes below the roots, operands before users, each once; the order depends on the roots alone. Without `intoCombinings` a
/// Reduce or Scan is a leaf: these are the nodes that have one value at one point.
std::vector<const Expr*> postorder(const std::vector<const Expr*>& roots, bool intoCombinings = true);

/// The Loads below the roots, operands before users, each once.
std::vector<const Expr*> loadsIn(const std::vector<const Expr*>& roots);

/// The nodes below a root, operands before users, without known ones and what is below these alone.
std::vector<const Expr*> postorder(const Expr* root, const std::function<bool(const Expr*)>& isKnown);

/// The axes that the values of the roots depend on, each once: those below them that no Reduce around them binds.
std::vector<const Expr*> freeAxes(const std::vector<const Expr*>& roots);

/// Whether `axis` occurs below `expr`, bound by a Reduce there or not.
bool dependsOn(const Expr* expr, const Expr* axis);

/// A Load of another buffer, each of whose operands `moved` gives.
const Expr* movedLoad(ExprPool& pool, const Expr* load, int buffer, const std::function<const Expr*(const Expr*)>& moved);
/// A node with other operands, of the same dtypes.
const Expr* withOperands(ExprPool& pool, const Expr* node, std::vector<const Expr*> src);
/// A copy of `expr` with nodes replaced: `replace` gives the new node or nullptr to keep going down.
const Expr* rewrite(ExprPool& pool, const Expr* expr, const std::function<const Expr*(const Expr*)>& replace);
/// `expr` with an axis replaced by another I64 expression.
const Expr* substitute(ExprPool& pool, const Expr* expr, const Expr* axis, const Expr* by);

/// constant + sum of coefficient * axis; what an index is when it can be analysed.
struct Affine {
  int64_t constant = 0;
  std::unordered_map<const Expr*, int64_t> coefficients;  ///< by axis; no zeros
  int64_t of(const Expr* axis) const;
};
/// The affine form of an I64 index, or nothing.
std::optional<Affine> affine(const Expr* index);

}  // namespace ir
