#pragma once

#include <string>

#include "ir/verify/verify.h"
#include "tests/refusal.h"

namespace tests {

inline const std::string fine = "nothing was refused";

/// Why the verifier refuses loops or a kernel.
inline std::string ofLoops(const ir::Loops& loops) {
  return refusal(ir::ErrorKind::Internal, [&] { ir::verify(loops); });
}
inline std::string ofKernel(const ir::Kernel& kernel) {
  return refusal(ir::ErrorKind::Internal, [&] { ir::verify(kernel); });
}

}  // namespace tests
