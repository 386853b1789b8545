#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opbench {

/// Which samples of an operator come first where not all are taken.
enum class SampleMode {
  First,       ///< the samples that were read first
  Top,         ///< the samples that were recorded most often
  Stratified,  ///< by turns one of each size class and layout, of each the most frequent first
  All,         ///< as Top, and all are taken
};
/// `first`, `top`, `stratified`, `all`.
std::string_view name(SampleMode mode);
std::optional<SampleMode> sampleModeFromName(std::string_view text);
std::vector<std::string> sampleModeNames();

}  // namespace opbench
