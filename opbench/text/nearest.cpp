#include "opbench/text/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <utility>

namespace opbench {

int editDistance(std::string_view a, std::string_view b) {
  // Costs of the beginnings of `b`, for the beginning of `a` at hand and for the two before it.
  std::vector<int> cost(b.size() + 1), last(cost), beforeLast(cost);
  std::iota(cost.begin(), cost.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(beforeLast, last);
    std::swap(last, cost);
    cost[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replace = last[j - 1] + (a[i - 1] != b[j - 1]);
      cost[j] = std::min({last[j] + 1, cost[j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[j] = std::min(cost[j], beforeLast[j - 2] + 1);
    }
  }
  return cost[b.size()];
}

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates, int limit) {
  const int farthest = std::max<int>(1, static_cast<int>(name.size()) / 3);
  std::set<std::pair<int, std::string>> found;
  for (const std::string& candidate : candidates) {
    const bool contains = name.size() >= 3 && candidate.find(name) != std::string::npos;
    const int lengths = static_cast<int>(name.size()) - static_cast<int>(candidate.size());
    if (!contains && std::abs(lengths) > farthest) continue;  // it takes no fewer edits
    const int distance = editDistance(name, candidate);
    if (contains || distance <= farthest) found.emplace(distance, candidate);
  }
  std::vector<std::string> result;
  for (const auto& [distance, candidate] : found) {
    if (static_cast<int>(result.size()) == limit) break;
    result.push_back(candidate);
  }
  return result;
}

std::string suggestion(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string text = names.front();
  for (size_t i = 1; i < names.size(); ++i) text += (i + 1 == names.size() ? " or " : ", ") + names[i];
  return fmt::format("; did you mean {}?", text);
}

}  // namespace opbench
