#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/walk.h"

namespace ir {

/// a - factor * b, or nothing where 64 bits do not hold it.
std::optional<Affine> minus(const Affine& a, const Affine& b, int64_t factor);

/// The values an integer expression takes, from `least` to `most`.
struct Range {
  int64_t least = INT64_MIN;
  int64_t most = INT64_MAX;

  /// Whether 32 bits hold all of them.
  bool fits32() const { return least >= INT32_MIN && most <= INT32_MAX; }
};

/// The numbers that a floating expression takes, rounding included.
struct FloatRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool isNumber = false;  ///< never NaN
};

/// What an affine form takes while every axis runs through its extent: both ends are reached. Nothing where an axis has no
/// values or 64 bits do not hold the ends.
std::optional<Range> rangeOf(const Affine& index);

/// A condition that holds where an access stands: `form` is from `least` to `most`.
struct Guard {
  Affine form;
  int64_t least = INT64_MIN;
  int64_t most = INT64_MAX;
};

/// The same where guards hold; nothing also where the ends might not be reached, as where guards on different forms share axes.
std::optional<Range> rangeOf(const Affine& index, const std::vector<Guard>& guards);

/// Bounds that I64 expressions keep, not always reached, by interval arithmetic, also of floats that are rounded to indices; each
/// node is bounded once.
class Bounds {
 public:
  Bounds() = default;
  /// Where `known` holds of some nodes.
  explicit Bounds(std::unordered_map<const Expr*, Range> known) : known_(std::move(known)) {}

  /// All that 64 bits hold where nothing is known: of a value from memory, or of one that may wrap.
  const Range& of(const Expr* index);
  /// Those where a condition on integers also holds, or does not.
  Bounds where(const Expr* condition, bool holds);
  /// The range of a node that nothing was asked about yet, nor about what it is part of.
  void assume(const Expr* node, const Range& range) { known_[node] = range; }

 private:
  void addKnown(std::unordered_map<const Expr*, Range>& known, const Expr* condition, bool holds);
  Range ofNode(const Expr* node) const;
  FloatRange ofFloat(const Expr* node) const;

  std::unordered_map<const Expr*, Range> known_;
  std::unordered_map<const Expr*, Range> found_;
  std::unordered_map<const Expr*, FloatRange> floats_;
};

/// The bounds of one expression.
Range boundsOf(const Expr* index);

/// Whether an affine form takes a different value at every point of `axes`: true or false where that is decided, nothing
/// where it would take too long to find out.
std::optional<bool> isInjective(const Affine& index, const std::vector<const Expr*>& axes);

}  // namespace ir
