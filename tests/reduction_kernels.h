#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/kernel.h"

namespace tests {

/// Softmax over rows of 512 halves: a warp a row, which it reads once and keeps as halves.
ir::Kernel rowSoftmax();

/// Mean and mean square of rows of 2048 halves: a CTA of 256 threads a row, two sums in one exchange.
ir::Kernel rowMoments();

/// Sums of the columns of [1024, 128]: 64 columns a cluster of 4 CTAs, each 256 rows. A warp adds up 4 rows by shuffles; the
/// warps meet in a tile, the CTAs in the threads that add up the tile's columns.
ir::Kernel columnSum();

/// The sum of 1 M floats: 128 CTAs leave their sums to the one that is done last.
ir::Kernel fullSum();

/// Sums of columns: every block stores partial results, and after a grid barrier each adds some of them.
ir::Kernel waitingSum();

/// `shared memory` of 128 KiB: every thread writes vectors that others read, twice over the same tile.
ir::Kernel largeTile();

/// What a Combine puts together, and how.
struct CombineShape {
  int threads = 1;
  int ctas = 1;
  ir::DType dtype = ir::DType::F32;
  std::string_view op = "add";
  bool before = false;        ///< also asks for what is before each thread
  bool isPersistent = false;  ///< whether the CTAs are a persistent cluster

  /// Threads of a CTA that hold several groups of it.
  int block() const { return threads < 64 ? 128 : threads * std::min(before ? 8 : 2, 1024 / threads); }
  /// The distances between threads of a group that it can have.
  std::vector<int> strides() const {
    std::vector<int> found{1};
    const int most = before ? block() : 32;
    for (int stride = 2; stride <= 16 && threads > 1 && !isPersistent && threads * stride <= most; stride *= 2)
      if (std::has_single_bit(static_cast<unsigned>(threads))) found.push_back(stride);
    return found;
  }
  int64_t elements() const { return 2 * ctas * block() * 4; }
};

/// Combines four elements of every thread, for each stride in turn, from the same values into an output each.
ir::Kernel combineKernel(const CombineShape& shape);

/// Sums of f32 in every shape; then other types and operations in a few. Half of all also ask for what is before each thread.
std::vector<CombineShape> combineShapes();

}  // namespace tests
