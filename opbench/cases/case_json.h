#pragma once

#include <string>
#include <string_view>

#include "opbench/cases/case.h"

namespace opbench {

/// case.json of a case that is raced as `run` says: the operator, the device, what happened, and the arguments as they are run.
/// Each argument is an object of one field, whose name is its kind: `{"int": 2}`, `{"tensor": {"file": "0.bin", ...}}`. The data
/// of tensor `i` (inputs::storedTensors) is in `inputs/i.bin`. Errors: Input, for a string that is no UTF-8.
std::string caseJson(const Case& wanted, const RaceSettings& run);

/// Whether a text is what caseJson() writes, as far as its mark tells.
bool isCaseJson(std::string_view text);

}  // namespace opbench
