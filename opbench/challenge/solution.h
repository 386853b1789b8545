#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "opbench/challenge/statement.h"
#include "opbench/results/contenders.h"
#include "opbench/settings/options.h"

namespace opbench {

/// A file of a challenge's folder that somebody has filled in.
struct Solution {
  std::string file;     ///< its name
  Contender contender;  ///< that it is raced as
};

/// The solutions of a folder: the files that differ from what the statement has there, of the kinds that race on the device.
std::vector<Solution> solutionsIn(const std::filesystem::path& folder, const Statement& statement, bool isGpu);

/// Races a solution beside the options' contenders, in a process of its own, and has its lines of results in `json`. `scratch` is
/// a folder for what is built. Nothing where it raced; otherwise why it did not, in words.
std::optional<std::string> raceSolution(const Solution& solution, const std::filesystem::path& folder,
                                        const std::filesystem::path& scratch, const std::string& json, const Options& options);

}  // namespace opbench
