#include "opbench/run/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <unordered_map>

#include "codegen/compile.h"
#include "inputs/operators/facts.h"
#include "inputs/region.h"
#include "inputs/region_file.h"
#include "inputs/text/words.h"
#include "ir/error.h"
#include "ir/text/text.h"
#include "lowering/partition/partition.h"
#include "runtime/build/hash.h"
#include "runtime/capture/recording.h"

namespace opbench {
namespace {

bool isGenerated(const ir::Graph& call, const ir::Target& target) {
  try {
    return codegen::whyFallback(call, target).empty();
  } catch (const std::exception&) {  // whoever races the call is told
    return false;
  }
}

/// The graphs of the groups that are to be generated and read something, in the order of their first calls.
std::vector<ir::Graph> generatedPartsOf(const ir::Graph& graph, const lowering::IsGenerated& isGenerated) {
  std::vector<lowering::Group> groups = lowering::partition(graph, lowering::DataFlow(graph), isGenerated);
  std::erase_if(groups, [](const lowering::Group& group) { return !group.isGenerated || group.graph.inputs.empty(); });
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.nodes < b.nodes; });
  std::vector<ir::Graph> graphs;
  for (lowering::Group& group : groups) graphs.push_back(std::move(group.graph));
  return graphs;
}

}  // namespace

std::string regionName(const ir::Graph& region) {
  constexpr size_t digits = 12;
  return runtime::digest(ir::toText(region)).substr(0, digits);
}

std::string regionText(const inputs::Sample& region, const inputs::Sample& network) {
  inputs::RegionFile file{{{region.count, network.op, network.recorded}}, "#\n"};
  const std::string graph = ir::toText(inputs::regionOf(region));
  for (const std::string_view line : inputs::split(graph, "\n"))
    if (!line.empty()) file.text += fmt::format("# {}\n", line);
  file.text += "\n" + inputs::toText(std::vector{region});
  return toText(file);
}

std::vector<inputs::Sample> regionsOf(const ir::Graph& graph, const ir::Target& target) {
  std::unordered_map<std::string, bool> known;  // by the text of the call
  const auto joins = [&](const ir::Graph& call, const ir::Node& node) {
    if (runtime::drawsNumbers(node) || inputs::judgementOf(node.op).sortsInAnyOrder()) return false;
    const auto [place, isNew] = known.try_emplace(ir::toText(call), false);
    if (isNew) place->second = isGenerated(call, target);
    return place->second;
  };
  std::vector<inputs::Sample> samples;
  std::unordered_map<std::string, size_t> places;
  for (const ir::Graph& region : generatedPartsOf(graph, joins)) {
    const std::string name = regionName(region);
    const auto [place, isNew] = places.try_emplace(name, samples.size());
    isNew ? samples.push_back(inputs::regionSample(region, name)) : void(++samples[place->second].count);
  }
  return samples;
}

std::map<std::string, std::string> regionFiles(const std::vector<inputs::Sample>& regions, const inputs::Sample& network) {
  std::map<std::string, std::string> files;
  for (const inputs::Sample& region : regions) files[region.op.substr(region.op.find('.') + 1)] = regionText(region, network);
  return files;
}

int64_t callsIn(const std::vector<inputs::Sample>& regions) {
  int64_t calls = 0;
  for (const inputs::Sample& region : regions)
    calls += region.count * static_cast<int64_t>(inputs::regionOf(region).nodes.size());
  return calls;
}

}  // namespace opbench
