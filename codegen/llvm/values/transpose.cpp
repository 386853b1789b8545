#include "codegen/llvm/values/transpose.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>

namespace codegen {
namespace {

constexpr int pieceBits = 128;  ///< a shuffle inside of so many bits of a register takes least time

using Mask = llvm::SmallVector<int, 64>;

/// Makes of each two rows whose numbers differ in one bit two others.
void exchange(std::vector<Vec>& rows, std::size_t bit, const Mask& first, const Mask& second) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if ((i & bit) != 0) continue;
    llvm::IRBuilderBase& builder = *rows[i].builder;
    llvm::Value *a = rows[i].value, *b = rows[i | bit].value;
    rows[i] = {&builder, builder.CreateShuffleVector(a, b, first)};
    rows[i | bit] = {&builder, builder.CreateShuffleVector(a, b, second)};
  }
}

/// The elements of two rows in turn, from the lower (0) or the upper (1) half of each piece.
Mask interleaved(int side, int piece, int half) {
  Mask mask;
  for (int i = 0; i < side; ++i) mask.push_back(i % 2 * side + i / piece * piece + half * piece / 2 + i % piece / 2);
  return mask;
}

/// The even (0) or the odd (1) pieces of one row, and then of the other one.
Mask separated(int side, int piece, int odd) {
  Mask mask;
  for (int i = 0; i < side; ++i) {
    const int number = 2 * (i / piece) + odd, row = number * piece / side;
    mask.push_back(row * side + number * piece % side + i % piece);
  }
  return mask;
}

}  // namespace

/// Each step moves one bit of a row's number into the number of the lane, and one of the lane's into the row's.
std::vector<Vec> transposed(std::vector<Vec> rows) {
  const int side = static_cast<int>(rows.size()), piece = std::min(side, pieceBits / rows.front().bits());
  for (int bit = piece / 2; bit >= 1; bit /= 2)
    exchange(rows, static_cast<std::size_t>(bit), interleaved(side, piece, 0), interleaved(side, piece, 1));
  for (int bit = piece; bit < side; bit *= 2)
    exchange(rows, static_cast<std::size_t>(bit), separated(side, piece, 0), separated(side, piece, 1));
  return rows;
}

}  // namespace codegen
