#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opbench {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment).
int editDistance(std::string_view a, std::string_view b);

/// At most `limit` candidates that `name` may have been meant for, nearest first: names that contain it, or lie within a third of
/// its length in edits. Equal distances stand in alphabetical order.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates, int limit = 3);

/// `; did you mean A, B or C?`, or nothing where there is no candidate: the end of a message about an unknown name.
std::string suggestion(const std::vector<std::string>& names);

}  // namespace opbench
