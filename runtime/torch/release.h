#pragma once

#include "ir/target.h"

namespace runtime {

/// What the release of torch that the program is built with computes otherwise than others (runtime/torch/releases/README.md).
ir::AtenRules atenRules();

}  // namespace runtime
