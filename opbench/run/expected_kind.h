#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inputs/sample.h"
#include "ir/target.h"
#include "runtime/callable.h"

namespace opbench {

/// How opbench will compute a sample, as far as it is known before it runs.
struct ExpectedKind {
  std::optional<runtime::Kind> kind;  ///< nothing where neither ATen's rules nor a small call on the host tell its results
  std::string reason;                 ///< why it is not generated, or not as one
};

/// The kinds of samples on a target, which need no device: the steps of the compiler are taken that may refuse a call. Where ATen
/// has no rule for the results, the smallest sample of the same form is called on the host and stands for the others. The form is
/// all but the sizes of tensors.
std::vector<ExpectedKind> expectedKinds(const std::vector<inputs::Sample>& samples, const ir::Target& target);

}  // namespace opbench
