#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/program/program.h"

namespace runtime {

/// Sizes of a program's inputs, by input.
struct Extents {
  std::vector<std::vector<int64_t>> sizes;
  std::optional<std::string> outside;  ///< `batch 1 is below the declared 2`, where that holds
};

/// Sizes for a batch and a sequence length; without one, the extent that was exported. The batch is the first dimension of the
/// first input; the length is the second one of integers, and the last one of anything else. Dimensions of one symbol follow.
/// Errors: Unsupported, `length is fixed at 224` for a fixed dimension, `length 600 is above the declared 512` for one out of its
/// range (1 where 2 is declared is allowed, and reported: torch.export takes 0 and 1 for constants and so declares 2), and an
/// extent that nothing says.
Extents bindExtents(const std::vector<ProgramInput>& inputs, std::optional<int64_t> batch,
                    std::optional<int64_t> length = std::nullopt);

/// Checks sizes that a caller gives, and names the one that the program does not declare. Errors: Unsupported, as above, and
/// where two dimensions of one symbol differ.
std::optional<std::string> checkExtents(const std::vector<ProgramInput>& inputs, const std::vector<std::vector<int64_t>>& sizes);

}  // namespace runtime
