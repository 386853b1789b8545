#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inputs/sample.h"
#include "opbench/results/row.h"
#include "opbench/select/suite_config.h"
#include "opbench/settings/selection.h"
#include "opbench/text/patterns.h"

namespace opbench {

/// The patterns that no sample's operator matches.
std::vector<std::string> unmatched(const std::vector<inputs::Sample>& samples, const std::vector<std::string>& patterns);

/// The message about a pattern that no sample matches; `aten` are the names of ATen's operators.
std::string unknownOperator(const std::string& pattern, const std::vector<inputs::Sample>& samples,
                            const std::vector<std::string>& aten);

/// Refuses patterns of a user's files that mean none of ATen's operators. A pattern that may name a network as well is fine for
/// one of the known `networks`; another one is refused only where an operator's name is near. Error: Input, `FILE:LINE: unknown
/// operator 'sillu'; did you mean aten.silu?`.
void checkPatterns(const std::vector<OperatorPattern>& patterns, const std::vector<std::string>& aten,
                   const std::vector<std::string>& networks = {});

/// Samples, and what they were selected from: all that was recorded of the operators that are meant.
struct Selection {
  std::vector<inputs::Sample> samples;
  Recorded recorded;
};

/// The samples to run: of operators that SelectionSettings::ops and ::filters (where there are any) match and ::excludes do not,
/// in alphabetical order; of each in the order of SelectionSettings::sampleMode, from ::startIdx on, ::maxSamples of them, or
/// fewer where `config` says so.
Selection select(const std::vector<inputs::Sample>& samples, const SelectionSettings& options,
                 const SuiteConfig& config = SuiteConfig::none());

/// Whether one of the sample's tensor arguments is not contiguous.
bool isStrided(const inputs::Sample& sample);

}  // namespace opbench
