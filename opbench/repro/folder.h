#pragma once

#include <filesystem>

#include "opbench/repro/case.h"

namespace opbench {

/// Writes what repeats a case that is raced as `run` says into a folder, which is made:
///  - sample.txt, the sample; run.sh, which races it again as it was raced;
///  - driver.py and inputs/, the call in eager ATen alone, on the very data that it was raced on.
/// Errors: Input, for what cannot be written.
void writeCase(const Case& wanted, const Options& run, const std::filesystem::path& folder);

}  // namespace opbench
