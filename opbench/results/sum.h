#pragma once

#include <string>
#include <string_view>

namespace opbench::results {

/// A line of results, a JSON object as text, with a sum of it as its last field, `"sum":"0123456789abcdef"`. It shows lines that
/// were edited or damaged; whoever wants to deceive can make another one.
std::string withSum(std::string object);

/// The state of a line's sum. Lines of older versions have none.
enum class SumState { Right, Wrong, None };
SumState sumStateOf(std::string_view line);

}  // namespace opbench::results
