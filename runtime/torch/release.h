#pragma once

#include <string>

#include "ir/target.h"

namespace runtime {

/// What the release of torch that the program is built with computes otherwise than others (runtime/torch/releases/README.md).
ir::AtenRules atenRules();

/// The version of the torch whose libraries lie in the folder `lib`, `2.15.0`: the program runs on any of the release that it is
/// built with. That one's where the folder above does not say, as in `version.py`.
std::string torchVersion(const std::string& lib);

}  // namespace runtime
