#include "lowering/partition/cuts.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace lowering {
namespace {

/// Which of some calls belong to a part, by their places.
using Part = std::vector<bool>;

class Cutting {
 public:
  Cutting(const ir::Graph& graph, const DataFlow& flow, const std::vector<int>& calls)
      : graph_(graph), flow_(flow), calls_(calls) {
    std::map<int, size_t> places;
    for (size_t i = 0; i < calls.size(); ++i) places[calls[i]] = i;
    for (const int call : calls) {
      before_.emplace_back(calls.size(), false);
      for (const Dependence& dependence : flow[call].after) {
        const auto place = places.find(dependence.node);
        if (place == places.end()) continue;
        before_.back()[place->second] = true;
        for (size_t i = 0; i < calls.size(); ++i)
          if (before_[place->second][i]) before_.back()[i] = true;
      }
    }
  }

  std::vector<Cut> all() const {
    std::set<Part> parts;
    for (size_t call = 0; call < calls_.size(); ++call) {
      Part waitedFor = before_[call], others(calls_.size()), earlier(calls_.size());
      waitedFor[call] = true;
      for (size_t i = 0; i < calls_.size(); ++i) {
        others[i] = i != call && !before_[i][call];
        earlier[i] = i < call;
      }
      parts.insert({waitedFor, others, earlier});
    }
    for (const int64_t most : sizes()) parts.insert(small(most));
    std::vector<std::tuple<int64_t, size_t, Part>> ordered;
    for (const Part& part : parts) {
      const auto size = static_cast<size_t>(std::count(part.begin(), part.end(), true));
      if (size > 0 && size < calls_.size()) ordered.emplace_back(bytesAcross(part), std::max(size, calls_.size() - size), part);
    }
    std::sort(ordered.begin(), ordered.end());
    std::vector<Cut> cuts;
    for (const auto& [bytes, size, part] : ordered) cuts.push_back(cutAt(part));
    return cuts;
  }

 private:
  Cut cutAt(const Part& part) const {
    Cut cut;
    for (size_t i = 0; i < calls_.size(); ++i) (part[i] ? cut.first : cut.second).push_back(calls_[i]);
    return cut;
  }

  /// Elements of a call's largest result.
  int64_t sizeOf(size_t call) const {
    int64_t most = 0;
    for (const int value : graph_.nodes[static_cast<size_t>(calls_[call])].outputs)
      most = std::max(most, graph_.values[static_cast<size_t>(value)].type.numel());
    return most;
  }
  std::set<int64_t> sizes() const {
    std::set<int64_t> all;
    for (size_t call = 0; call < calls_.size(); ++call) all.insert(sizeOf(call));
    return all;
  }

  /// Calls that have at most so many elements, as have all that they wait for.
  Part small(int64_t most) const {
    Part part(calls_.size());
    for (size_t call = 0; call < calls_.size(); ++call) {
      part[call] = sizeOf(call) <= most;
      for (size_t i = 0; i < calls_.size() && part[call]; ++i) part[call] = !before_[call][i] || part[i];
    }
    return part;
  }

  /// Of memories that both parts have to do with: what lies there, of which each part sees the largest value.
  int64_t bytesAcross(const Part& part) const {
    std::map<int, int64_t> seen[2];
    for (size_t i = 0; i < calls_.size(); ++i) {
      const ir::Node& node = graph_.nodes[static_cast<size_t>(calls_[i])];
      std::vector<int> values = valuesOf(node);
      values.insert(values.end(), node.outputs.begin(), node.outputs.end());
      for (const int value : values) {
        int64_t& most = seen[part[i] ? 0 : 1][flow_.memoryOf(value)];
        most = std::max(most, graph_.values[static_cast<size_t>(value)].type.bytesTouched());
      }
    }
    int64_t bytes = 0;
    for (const auto& [memory, most] : seen[0])
      if (const auto other = seen[1].find(memory); other != seen[1].end()) bytes += std::max(most, other->second);
    return bytes;
  }

  const ir::Graph& graph_;
  const DataFlow& flow_;
  const std::vector<int>& calls_;
  std::vector<Part> before_;  ///< by place: the calls that it waits for
};

}  // namespace

std::vector<Cut> cutsOf(const ir::Graph& graph, const DataFlow& flow, const std::vector<int>& calls) {
  return Cutting(graph, flow, calls).all();
}

}  // namespace lowering
