#include "lowering/partition/groups.h"

#include <algorithm>

namespace lowering {
namespace {

/// Groups that grow node by node, in the nodes' order.
class Grouping {
 public:
  Grouping(const DataFlow& flow, int nodes, size_t most)
      : flow_(flow), most_(most), groups_(static_cast<size_t>(nodes)), groupOf_(groups_.size(), -1), seen_(groups_.size(), 0) {}

  void add(int node) {
    groups_[static_cast<size_t>(node)] = {node};
    groupOf_[static_cast<size_t>(node)] = node;
  }

  /// Joins a node's group with those of the calls whose results it reads, the latest first.
  void join(int node, const std::function<bool(int)>& joins) {
    std::vector<int> makers;
    for (const Dependence& before : flow_[node].after)
      if (before.isRead && joins(before.node)) makers.push_back(before.node);
    std::sort(makers.rbegin(), makers.rend());
    for (const int maker : makers) {
      const int other = groupOf_[static_cast<size_t>(maker)], own = groupOf_[static_cast<size_t>(node)];
      if (other != own && of(own).size() + of(other).size() <= most_ && !hasWayRound(own, other)) merge(own, other);
    }
  }

  std::vector<std::vector<int>> take() {
    std::erase_if(groups_, [](const std::vector<int>& group) { return group.empty(); });
    std::sort(groups_.begin(), groups_.end());
    return std::move(groups_);
  }

 private:
  std::vector<int>& of(int group) { return groups_[static_cast<size_t>(group)]; }

  /// Whether something outside of two groups has to come after a call of theirs and before another one.
  bool hasWayRound(int a, int b) {
    const int first = std::min(of(a).front(), of(b).front());
    ++search_;
    std::vector<int> stack;
    const auto visit = [&](int group) {
      for (const int node : of(group))
        for (const Dependence& before : flow_[node].after) {
          const int other = groupOf_[static_cast<size_t>(before.node)];
          if (other != a && other != b && seen_[static_cast<size_t>(other)] != search_ && of(other).back() > first) {
            seen_[static_cast<size_t>(other)] = search_;
            stack.push_back(other);
          }
        }
    };
    const auto leadsBack = [&](int group) {
      for (const int node : of(group))
        for (const Dependence& before : flow_[node].after) {
          const int other = groupOf_[static_cast<size_t>(before.node)];
          if (other == a || other == b) return true;
        }
      return false;
    };
    visit(a);
    visit(b);
    while (!stack.empty()) {
      const int group = stack.back();
      stack.pop_back();
      if (leadsBack(group)) return true;
      visit(group);
    }
    return false;
  }

  void merge(int into, int from) {
    std::vector<int>& target = of(into);
    for (const int node : of(from)) {
      groupOf_[static_cast<size_t>(node)] = into;
      target.push_back(node);
    }
    std::sort(target.begin(), target.end());
    of(from).clear();
  }

  const DataFlow& flow_;
  size_t most_;
  std::vector<std::vector<int>> groups_;  ///< by the node that each began with; empty where it joined another
  std::vector<int> groupOf_;              ///< by node; -1 for views, and for those that are still to come
  std::vector<int> seen_;                 ///< by group: the search that met it last
  int search_ = 0;
};

}  // namespace

std::vector<std::vector<int>> groupsOf(const DataFlow& flow, int nodes, const std::function<bool(int)>& joins, size_t most) {
  Grouping grouping(flow, nodes, most);
  for (int node = 0; node < nodes; ++node) {
    if (flow[node].isView) continue;
    grouping.add(node);
    if (joins(node)) grouping.join(node, joins);
  }
  return grouping.take();
}

}  // namespace lowering
