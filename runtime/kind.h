#pragma once

#include <string_view>

namespace runtime {

/// Who computes a contender's result.
enum class Kind {
  Generated,  ///< kernels that were generated for it: ours, or another compiler's
  Fallback,   ///< ATen: a library call
  View,       ///< nobody (Call::isView)
};
std::string_view name(Kind kind);

}  // namespace runtime
