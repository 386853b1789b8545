// Which parts of a call have to run before others, and which can become one.
#include "lowering/analysis/dependence_graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace {

using lowering::DependenceGraph;
using Parts = std::vector<std::vector<ir::Buffer>>;

std::vector<ir::Buffer> part(const std::vector<int>& reads, const std::vector<int>& writes) {
  std::vector<ir::Buffer> buffers;
  for (const int value : reads) buffers.push_back({"in", {}, value, true, false});
  for (const int value : writes) buffers.push_back({"out", {}, value, false, true});
  return buffers;
}

TEST_CASE("a chain: its ends cannot be one without the middle") {
  DependenceGraph graph({part({0}, {1}), part({1}, {2}), part({2}, {3})});
  CHECK(graph.leads(0, 2));
  CHECK_FALSE(graph.leads(2, 0));
  CHECK(graph.canMerge(0, 1));
  CHECK(graph.canMerge(1, 2));
  CHECK_FALSE(graph.canMerge(0, 2));
  CHECK_THROWS(graph.merge(0, 2));
  graph.merge(0, 1);
  CHECK(graph.canMerge(0, 2));
  CHECK(graph.order() == std::vector<std::size_t>{0, 2});
}

TEST_CASE("a diamond: its sides are independent, and its ends can be one once a side is part of them and the other one too") {
  DependenceGraph graph({part({0}, {1}), part({1}, {2}), part({1}, {3}), part({2, 3}, {4})});
  CHECK(graph.areIndependent(1, 2));
  CHECK_FALSE(graph.canMerge(0, 3));
  graph.merge(0, 1);
  CHECK_FALSE(graph.canMerge(0, 3));
  graph.merge(0, 2);
  CHECK(graph.canMerge(0, 3));
}

TEST_CASE("whoever writes what others read comes first or last, and readers of one value are independent") {
  const DependenceGraph graph({part({0}, {1}), part({0}, {2}), part({}, {0}), part({}, {2})});
  CHECK(graph.areIndependent(0, 1));
  CHECK(graph.leads(0, 2));
  CHECK(graph.leads(1, 3));
  CHECK(graph.areIndependent(0, 3));
}

TEST_CASE("of two pairs that can be one, the second can close a cycle with the first") {
  DependenceGraph graph({part({}, {0}), part({0}, {1}), part({}, {2}), part({2}, {3})});
  CHECK(graph.canMerge(0, 3));
  CHECK(graph.canMerge(1, 2));
  graph.merge(0, 3);
  CHECK_FALSE(graph.canMerge(1, 2));
}

TEST_CASE("a part moves behind what the part that it takes in depends on") {
  DependenceGraph graph({part({}, {0}), part({}, {1}), part({1}, {2})});
  graph.merge(0, 2);
  CHECK(graph.order() == std::vector<std::size_t>{1, 0});
}

/// Whether a path leads from one set of parts to another by the edges between parts, found anew.
bool isReached(const std::vector<std::vector<bool>>& edges, const std::vector<std::size_t>& group, std::size_t from,
               std::size_t to) {
  std::vector<bool> seen(edges.size());
  std::vector<std::size_t> left{from};
  while (!left.empty()) {
    const std::size_t at = left.back();
    left.pop_back();
    for (std::size_t one = 0; one < edges.size(); ++one) {
      for (std::size_t next = 0; next < edges.size(); ++next) {
        if (group[one] != at || !edges[one][next] || group[next] == at || seen[group[next]]) continue;
        seen[group[next]] = true;
        left.push_back(group[next]);
      }
    }
  }
  return seen[to];
}

TEST_CASE("random parts: paths are those found by a search, through all merges, and the order keeps every dependence") {
  std::mt19937_64 random(7);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 2 + below(7);
    Parts parts;
    for (std::size_t i = 0; i < count; ++i) parts.push_back(part({static_cast<int>(below(8))}, {static_cast<int>(below(12))}));
    std::vector<std::vector<bool>> edges(count, std::vector<bool>(count));
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = i + 1; j < count; ++j)
        edges[i][j] = parts[i][0].value == parts[j][1].value || parts[i][1].value == parts[j][0].value ||
                      parts[i][1].value == parts[j][1].value;
    DependenceGraph graph(parts);
    std::vector<std::size_t> group(count);  // the part that each has become part of
    for (std::size_t i = 0; i < count; ++i) group[i] = i;
    for (int step = 0; step < 6; ++step) {
      const std::vector<std::size_t> order = graph.order();
      for (auto a = order.begin(); a != order.end(); ++a) {
        for (auto b = order.begin(); b != order.end(); ++b)
          if (a != b) REQUIRE(graph.leads(*a, *b) == isReached(edges, group, *a, *b));
        for (auto b = order.begin(); b != a; ++b) REQUIRE_FALSE(graph.leads(*a, *b));
      }
      const std::size_t a = order[below(order.size())], b = order[below(order.size())];
      if (a == b) continue;
      std::vector<std::size_t> together = group;
      std::replace(together.begin(), together.end(), b, a);
      bool closesCycle = false;
      for (const std::size_t other : order)
        closesCycle = closesCycle ||
                      (other != a && other != b && isReached(edges, together, a, other) && isReached(edges, together, other, a));
      REQUIRE(graph.canMerge(a, b) == !closesCycle);
      if (closesCycle) continue;
      graph.merge(a, b);
      group = together;
    }
  }
}

}  // namespace
