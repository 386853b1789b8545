#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/walk.h"

namespace ir {

/// a - factor * b, or nothing where 64 bits do not hold it.
std::optional<Affine> minus(const Affine& a, const Affine& b, int64_t factor);

/// The values an integer expression takes, from `least` to `most`.
struct Range {
  int64_t least = 0;
  int64_t most = 0;
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

/// The same where a guard holds; nothing also where the ends might not be reached.
std::optional<Range> rangeOf(const Affine& index, const Guard& guard);

/// Bounds that an I64 expression keeps, not always reached, by interval arithmetic; nothing where there are none (a value
/// from memory, an overflow).
std::optional<Range> boundsOf(const Expr* index);

/// Whether an affine form takes a different value at every point of `axes`: true or false where that is decided, nothing
/// where it would take too long to find out.
std::optional<bool> isInjective(const Affine& index, const std::vector<const Expr*>& axes);

}  // namespace ir
