#pragma once

#include <string>
#include <vector>

#include "lowering/tensor/lowering.h"

namespace opbench {

/// Refuses lowerings that no call would reach. Errors: Internal, with the place of each, where two have one name or the name is
/// none of `operators` (`aten.add.Tensor`).
void checkRegistrations(const std::vector<lowering::Registration>& registrations, const std::vector<std::string>& operators);

/// The operators of `operators` that the patterns of --op mean, a line each, with the place of the lowering or that there is
/// none: ATen computes those. Empty where they mean none.
std::string loweringsText(const std::vector<std::string>& patterns, const std::vector<lowering::Registration>& registrations,
                          const std::vector<std::string>& operators);

}  // namespace opbench
