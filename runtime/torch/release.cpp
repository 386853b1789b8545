#include "runtime/torch/release.h"

#include <torch/headeronly/version.h>

namespace runtime {

ir::AtenRules atenRules() { return {.clampIgnoresNaN = TORCH_VERSION_MINOR < 12}; }

}  // namespace runtime
