#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace inputs {

/// How often a step of a network has a region.
struct RegionUse {
  int64_t count = 1;
  std::string network;  ///< `model.bert_base.training`
  std::string sample;   ///< of the network, as recorded
};

/// A file of one region: a line `#: COUNT NETWORK SAMPLE` of each network whose step has it, then its graph as comments, and its
/// sample, whose count is the sum of these.
struct RegionFile {
  std::vector<RegionUse> uses;  ///< by their networks and samples, each once
  std::string text;             ///< the lines behind
};

/// The file that a text is, and back. Error: Input, `FILE: ..`, for a line `#:` that has no count, network and sample.
RegionFile regionFileOf(std::string_view text, const std::string& file);
std::string toText(const RegionFile& region);

/// Writes a network's regions, texts of such files by the regions' names, to a folder, `NAME.txt`. Regions that the folder has
/// already get this network's line beside the others'; an earlier recording of the same sample is replaced. Error: Input, for a
/// folder with files of other samples.
void writeRegions(const std::map<std::string, std::string>& files, const std::string& folder);

/// The networks that have each region of a folder, by the regions' names. Error: Input, for a folder without any.
std::map<std::string, std::vector<RegionUse>> regionUses(const std::string& folder);

}  // namespace inputs
