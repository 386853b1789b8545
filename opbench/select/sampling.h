#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/sample.h"

namespace opbench {

/// Which samples of an operator come first where not all are taken.
enum class SampleMode {
  First,       ///< those that were read first
  Top,         ///< those that were recorded most often
  Stratified,  ///< by turns one of each size class and layout, of each the most frequent first
  All,         ///< as Top, and all are taken
};
/// `first`, `top`, `stratified`, `all`.
std::string_view name(SampleMode mode);
std::optional<SampleMode> sampleModeFromName(std::string_view text);
std::vector<std::string> sampleModeNames();

/// An operator's samples, in the order in which they were read, in that of the mode. It depends on nothing but them.
std::vector<const inputs::Sample*> ordered(std::vector<const inputs::Sample*> samples, SampleMode mode);

}  // namespace opbench
