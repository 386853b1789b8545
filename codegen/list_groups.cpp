#include "codegen/list_groups.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "codegen/generate.h"
#include "ir/error.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "lowering/analysis/elementwise.h"
#include "lowering/kernel/insert_barriers.h"
#include "lowering/schedule/launches.h"
#include "lowering/schedule/tensor_list.h"
#include "lowering/schedule/vectorize.h"

namespace codegen {

using lowering::Group;

namespace {

/// The most that a launch can be given: 32,764 bytes of parameters, of 8 a pointer.
constexpr size_t mostPointers = 4095;

/// Which of some groups wait for others of their phase, and for which of them others wait.
class Waits {
 public:
  Waits(const ir::Graph& graph, const lowering::DataFlow& flow, const std::vector<Group>& groups)
      : waits_(groups.size(), false), isAwaited_(groups.size(), false) {
    std::vector<int> groupOf(graph.nodes.size(), -1);
    for (size_t i = 0; i < groups.size(); ++i)
      for (const int node : groups[i].nodes) groupOf[static_cast<size_t>(node)] = static_cast<int>(i);
    const auto phaseOf = [&](int node) { return graph.nodes[static_cast<size_t>(node)].scope.phase; };
    for (size_t i = 0; i < groups.size(); ++i)
      for (const int node : groups[i].nodes)
        for (const lowering::Dependence& before : flow[node].after) {
          const int other = groupOf[static_cast<size_t>(before.node)];
          if (other < 0 || other == static_cast<int>(i) || phaseOf(node) != phaseOf(before.node)) continue;
          waits_[i] = isAwaited_[static_cast<size_t>(other)] = true;
        }
  }
  bool waits(size_t group) const { return waits_[group]; }
  bool isAwaited(size_t group) const { return isAwaited_[group]; }

 private:
  std::vector<bool> waits_, isAwaited_;
};

int64_t totalBytes(const ir::Graph& graph, const std::vector<int>& values) {
  int64_t bytes = 0;
  for (const int value : values) {
    const ir::TensorType& type = graph.values[static_cast<size_t>(value)].type;
    bytes += type.numel() * static_cast<int64_t>(ir::sizeOf(type.dtype));
  }
  return bytes;
}

bool leavesWhatItReads(const Group& group) {
  return totalBytes(group.graph, group.graph.inputs) <= 2 * totalBytes(group.graph, group.graph.outputs);
}

}  // namespace

std::optional<ElementwiseLoops> GroupLister::elementwise(const ir::Graph& graph) const {
  // Values that begin behind the start of their memory are aligned otherwise than the tensors of a list.
  if (std::any_of(graph.values.begin(), graph.values.end(), [](const ir::GraphValue& value) { return value.offset != 0; }))
    return std::nullopt;
  const lowering::LoopNests nests = nestsOf(graph, target_, [](std::vector<ir::Loops>& all) {
    for (ir::Loops& loops : all) loops.name = "list";
  });
  ElementwiseLoops found;
  for (const lowering::LoopNest& nest : nests.all) {
    const std::optional<ir::Loops> flat = lowering::flattened(nest.loops, lowering::listedElements({1}));
    const auto isKept = [&](const ir::Buffer& buffer) { return buffer.value >= static_cast<int>(graph.values.size()); };
    if (!flat || std::any_of(flat->buffers.begin(), flat->buffers.end(), isKept)) return std::nullopt;
    found.text += ir::toText(*flat);
    found.mostParams = std::max(found.mostParams, flat->buffers.size());
    found.all.push_back(nest.loops);
  }
  if (found.all.empty()) return std::nullopt;
  return found;
}

const ElementwiseLoops* GroupLister::loopsOf(const ir::Graph& graph) {
  const auto [known, isNew] = loops_.try_emplace(ir::toText(graph));
  if (isNew) known->second = elementwise(graph);
  return known->second ? &*known->second : nullptr;
}

std::vector<ListedGroup> GroupLister::list(std::vector<Group> groups) {
  const Waits waits(graph_, flow_, groups);
  enum class Place : uint8_t { First, Last };
  std::map<std::tuple<ir::Phase, Place, std::string>, std::vector<size_t>> lists;
  std::vector<const ElementwiseLoops*> loops(groups.size(), nullptr);
  for (size_t i = 0; i < groups.size(); ++i) {
    if (!groups[i].isGenerated || (waits.waits(i) && (waits.isAwaited(i) || !leavesWhatItReads(groups[i])))) continue;
    loops[i] = loopsOf(groups[i].graph);
    if (loops[i] == nullptr) continue;
    const ir::Phase phase = graph_.nodes[static_cast<size_t>(groups[i].nodes.front())].scope.phase;
    lists[{phase, waits.waits(i) ? Place::Last : Place::First, loops[i]->text}].push_back(i);
  }
  std::map<size_t, std::vector<size_t>> listedAt;  // by the group in whose place they are
  std::vector<bool> isListed(groups.size(), false);
  for (const auto& [key, members] : lists) {
    const size_t most = mostPointers / loops[members.front()]->mostParams;
    for (size_t begin = 0; begin + 1 < members.size(); begin += most) {
      const auto first = members.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = members.begin() + static_cast<std::ptrdiff_t>(std::min(begin + most, members.size()));
      for (auto member = first; member != last; ++member) isListed[*member] = true;
      listedAt[std::get<Place>(key) == Place::First ? *first : *std::prev(last)] = {first, last};
    }
  }
  std::vector<ListedGroup> listed;
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto list = listedAt.find(i);
    if (list == listedAt.end()) {
      if (!isListed[i]) listed.push_back({std::move(groups[i]), {}});
      continue;
    }
    ListedGroup one;
    std::vector<int> nodes;
    for (const size_t member : list->second) {
      nodes.insert(nodes.end(), groups[member].nodes.begin(), groups[member].nodes.end());
      one.members.push_back({std::move(groups[member]), loops[member]});
    }
    std::sort(nodes.begin(), nodes.end());
    one.group = lowering::groupOf(graph_, flow_, std::move(nodes));
    listed.push_back(std::move(one));
  }
  return listed;
}

Plan GroupLister::plan(const ListedGroup& listed, const std::string& name) const {
  Plan plan;
  plan.graph = listed.group.graph;
  std::map<int, int> places;  // of the group's values, by the network's
  for (size_t i = 0; i < listed.group.values.size(); ++i) places[listed.group.values[i]] = static_cast<int>(i);
  const std::vector<ir::Loops>& first = listed.members.front().loops->all;
  for (size_t launch = 0; launch < first.size(); ++launch) {
    std::vector<int64_t> elements;
    std::vector<ir::Param> params;
    for (const ListedGroup::Member& member : listed.members) {
      const ir::Loops& loops = member.loops->all[launch];
      elements.push_back(lowering::pointsOf(loops));
      for (ir::Param param : lowering::parameters(loops, target_)) {
        param.buffer.value = places.at(member.group.values.at(static_cast<size_t>(param.buffer.value)));
        const ir::GraphValue& value = plan.graph.values[static_cast<size_t>(param.buffer.value)];
        param.buffer.name = value.name;
        param.buffer.type = value.type;
        params.push_back(std::move(param));
      }
    }
    ir::Loops loops = *lowering::flattened(first[launch], lowering::listedElements(elements));
    loops.name = name;
    lowering::ListKernel made = lowering::applyToList(std::move(loops), elements, std::move(params), target_);
    ir::Kernel kernel = lowering::narrowIndices({lowering::insertBarriers(std::move(made.kernel))}).front();
    ir::verify(kernel, target_);
    addLaunch(plan, programOf(kernel, target_));
    plan.nests.push_back(std::move(made.nest));
    plan.schedules.emplace_back(made.schedule);
    plan.kernels.push_back(std::move(kernel));
  }
  return plan;
}

}  // namespace codegen
