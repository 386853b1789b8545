#pragma once

#include <variant>
#include <vector>

#include "ir/kernel.h"
#include "ir/loops.h"
#include "ir/scalar.h"

namespace ir {

/// The elements of a buffer's storage: doubles for floating dtypes, integers for the others. Every write is rounded to the
/// buffer's dtype (`round`).
struct Memory {
  DType dtype = DType::F32;
  std::variant<std::vector<double>, std::vector<int64_t>> data;
  static Memory zeros(DType dtype, int64_t elements);
};

/// Carries loops or a kernel out in double precision and 64-bit integers, one point after another: the meaning of the IR,
/// against which both code generators are tested. `memory[i]` is the storage of buffer or parameter i. Operations on a
/// floating dtype round their result to it when `roundEach`; otherwise only stores and casts round.
///
/// A Reduce or Scan is evaluated once for each point that it depends on, and is rounded once, when all values are combined:
/// what every order of combining them comes near. Local arrays of a kernel round as other buffers do, at each store.
/// It is an Internal error to read an element of a local array that nobody wrote since it became undefined, or to which an
/// asynchronous copy is under way; and to read or overwrite what another thread writes, or to overwrite what it reads, without a
/// barrier in between, implied or explicit. The same holds for parameters that are read and written. Atomic stores need no
/// barriers between each other. Of a kernel that takes a list of tensors the memory is TensorList::params'; the tensors of a list
/// have the elements that they have, and none may be touched beyond.
void interpret(const Loops& loops, std::vector<Memory>& memory, bool roundEach = true);
void interpret(const Kernel& kernel, std::vector<Memory>& memory, bool roundEach = true);

}  // namespace ir
