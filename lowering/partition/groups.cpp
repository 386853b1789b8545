#include "lowering/partition/groups.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/error.h"

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

  /// Joins a node's group with the groups of the calls whose results it reads, the latest first.
  void join(int node, const MayJoin& mayJoin) {
    std::vector<int> makers;
    for (const Dependence& before : flow_[node].after)
      if (before.isRead && mayJoin(node, before.node)) makers.push_back(before.node);
    std::sort(makers.rbegin(), makers.rend());
    for (const int maker : makers) {
      const int other = groupOf_[static_cast<size_t>(maker)], own = groupOf_[static_cast<size_t>(node)];
      if (other != own && of(own).size() + of(other).size() <= most_ && !hasWayRound(own, other)) merge(own, other);
    }
  }

  std::vector<std::vector<int>> take() {
    std::vector<std::vector<int>> followers(groups_.size());  // by group
    std::vector<int> awaited(groups_.size(), 0);
    for (size_t i = 0; i < groups_.size(); ++i)
      for (const int before : groupsBefore(static_cast<int>(i))) {
        followers[static_cast<size_t>(before)].push_back(static_cast<int>(i));
        ++awaited[i];
      }
    std::set<std::pair<int, int>> ready;  // the last call of each, and its group
    const auto offer = [&](int group) {
      if (!of(group).empty() && awaited[static_cast<size_t>(group)] == 0) ready.emplace(of(group).back(), group);
    };
    for (size_t i = 0; i < groups_.size(); ++i) offer(static_cast<int>(i));
    std::vector<std::vector<int>> ordered;
    while (!ready.empty()) {
      const int next = ready.extract(ready.begin()).value().second;
      ordered.push_back(of(next));
      for (const int follower : followers[static_cast<size_t>(next)]) {
        --awaited[static_cast<size_t>(follower)];
        offer(follower);
      }
    }
    const auto isGroup = [](const std::vector<int>& group) { return !group.empty(); };
    ir::require(static_cast<std::ptrdiff_t>(ordered.size()) == std::count_if(groups_.begin(), groups_.end(), isGroup),
                "groups of calls need each other");
    return ordered;
  }

 private:
  std::vector<int>& of(int group) { return groups_[static_cast<size_t>(group)]; }

  std::set<int> groupsBefore(int group) {
    std::set<int> found;
    for (const int node : of(group))
      for (const Dependence& before : flow_[node].after) found.insert(groupOf_[static_cast<size_t>(before.node)]);
    found.erase(group);
    return found;
  }

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
  std::vector<int> groupOf_;              ///< by node; -1 for views, and for nodes that are still to come
  std::vector<int> seen_;                 ///< by group: the search that met it last
  int search_ = 0;
};

}  // namespace

std::vector<std::vector<int>> groupsOf(const DataFlow& flow, int nodes, const MayJoin& mayJoin, size_t most) {
  Grouping grouping(flow, nodes, most);
  for (int node = 0; node < nodes; ++node) {
    if (flow[node].isView) continue;
    grouping.add(node);
    grouping.join(node, mayJoin);
  }
  return grouping.take();
}

}  // namespace lowering
