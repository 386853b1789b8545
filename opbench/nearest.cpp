#include "opbench/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace opbench {

int editDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> cost(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = static_cast<int>(i);
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replace = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  return cost[a.size()][b.size()];
}

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates, int limit) {
  const int farthest = std::max<int>(1, static_cast<int>(name.size()) / 3);
  std::set<std::pair<int, std::string>> found;
  for (const std::string& candidate : candidates) {
    const int distance = editDistance(name, candidate);
    const bool contains = name.size() >= 3 && candidate.find(name) != std::string::npos;
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
