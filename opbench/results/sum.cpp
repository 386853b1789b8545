#include "opbench/results/sum.h"

#include "runtime/build/hash.h"

namespace opbench::results {
namespace {

constexpr std::string_view before = R"(,"sum":")", after = R"("})";
constexpr size_t digits = 16;

}  // namespace

std::string withSum(std::string object) {
  object.pop_back();
  const std::string sum = runtime::digest(object).substr(0, digits);
  return object.append(before).append(sum).append(after);
}

SumState sumStateOf(std::string_view line) {
  const size_t last = line.find_last_not_of(" \t\r\n");
  line = line.substr(0, last == std::string_view::npos ? 0 : last + 1);
  const size_t length = before.size() + digits + after.size();
  const size_t from = line.size() < length ? std::string_view::npos : line.size() - length;
  if (from == std::string_view::npos || line.substr(from, before.size()) != before) return SumState::None;
  const std::string sum = runtime::digest(line.substr(0, from)).substr(0, digits);
  const bool isRight = line.substr(from + before.size(), digits) == sum && line.ends_with(after);
  return isRight ? SumState::Right : SumState::Wrong;
}

}  // namespace opbench::results
