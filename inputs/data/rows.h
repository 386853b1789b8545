#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "inputs/data/distribution.h"
#include "inputs/operators/domain.h"
#include "inputs/sample.h"

namespace inputs {

/// What a row may hold: anything; no NaN and no infinity; nothing that is large either.
enum class RowKinds { Any, Finite, Tame };

/// The rows of a tensor. Each row holds one thing: an infinity in one half, a NaN alone, nothing but zeros. Rows lie along the
/// dimensions that a call combines, so that each result of the call depends on one row.
struct Rows {
  std::vector<int64_t> dims;  ///< that are in a row, ascending
  RowKinds kinds = RowKinds::Any;
  double epsilon = 1e-5;  ///< what the call adds to a variance, or bounds a norm by
  bool isFirst = true;    ///< the first tensor of its call: others hold the same thing as it in some rows, and in others do not
  bool isPositive = false;
  bool areCombined = false;  ///< by the call, which says so
};

/// How many different things rows hold. Where a tensor has fewer rows, Data::turn says which come.
inline constexpr int64_t thingsOfRows = 18;

/// The dimensions that a call combines of an argument of `type`, ascending: the dimensions that it names, or all but the channels
/// of a batch norm; nothing where the call does not say. `sample` has its keyword arguments in their positions.
std::optional<std::vector<int64_t>> combinedDims(const Sample& sample, const ir::TensorType& type);

/// The rows of an argument: along combinedDims(), or data.rowDims, or the last dimension. Nothing for one of rank 0, one that
/// must be valid, one whose elements lie on one another, a complex one, one that is smaller than another argument of the call,
/// and a single row that is too long to be drawn again and again.
std::optional<Rows> rowsOf(const Sample& sample, size_t argument, const ir::TensorType& type, const ValueRange& range,
                           const Data& data);

/// Whether an argument is smaller than one that has rows: what is special in it would be in all of them.
bool isBesideRows(const Sample& sample, const ir::TensorType& type);

/// How often a sample's data have to be drawn, each time with another Data::turn, so that its rows hold every thing: once where
/// there are enough of them, or where that would take long.
int64_t turnsOf(const Sample& sample);

/// How many elements of noise rowTensor() takes for a tensor: its rows, or the first of them, which the others repeat.
int64_t rowElements(const ir::TensorType& type, const Rows& rows);
/// A tensor of `type` on `device` whose rows hold one thing each in place of the `noise`: elements on the CPU, in double or
/// int64, a row after the other. `seed` and `data.turn` choose what and where.
at::Tensor rowTensor(const ir::TensorType& type, const Rows& rows, const at::Tensor& noise, uint64_t seed, const Data& data,
                     c10::Device device);

}  // namespace inputs
