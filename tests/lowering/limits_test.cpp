// docs/schedules.md prints lowering/heuristics/limits.def: a table for each group, between two markers.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lowering/heuristics/limits.h"
#include "tests/golden.h"

namespace {

using lowering::limits::Limit;
using lowering::limits::Unit;

constexpr std::string_view page = "../../docs/schedules.md";  // seen from the golden pages
constexpr std::string_view opening = "<!-- limits: ", closing = "<!-- /limits -->";

std::string bytes(int64_t count) {
  if (count % lowering::limits::mb == 0) return fmt::format("{} MB", count / lowering::limits::mb);
  if (count % lowering::limits::kb == 0) return fmt::format("{} KB", count / lowering::limits::kb);
  return fmt::format("{} bytes", count);
}

std::string valueOf(const Limit& limit) {
  const int64_t value = limit.value.numerator;
  switch (limit.unit) {
    case Unit::Bytes: return bytes(value);
    case Unit::SharedBytes: return bytes(value) + " shared";
    case Unit::Threads: return fmt::format("{} threads", value);
    case Unit::Ctas: return fmt::format("{} CTAs", value);
    case Unit::Vectors: return fmt::format("{} vectors", value);
    case Unit::Elements: return fmt::format("{} elements", value);
    case Unit::Rows: return fmt::format("{} rows", value);
    case Unit::Registers: return fmt::format("{} registers", value);
    case Unit::Tiles: return fmt::format("{} tiles", value);
    case Unit::Groups: return fmt::format("{} groups", value);
    case Unit::Tasks: return fmt::format("{} tasks", value);
    case Unit::Ratio: return fmt::format("{}/{}", value, limit.value.denominator);
  }
  return "";
}

/// The table of a group; nothing but its head where there is no such group.
std::string tableOf(std::string_view group) {
  std::string text = "| limit | value | meaning |\n| --- | --- | --- |\n";
  for (const Limit& limit : lowering::limits::table)
    if (limit.group == group) text += fmt::format("| `{}` | {} | {} |\n", limit.name, valueOf(limit), limit.meaning);
  return text;
}

struct Printed {
  std::string text;                   ///< the page with the tables as the code has them
  std::vector<std::string> offences;  ///< markers that are missing or wrong
};

Printed withTables(const std::string& text) {
  Printed printed;
  std::set<std::string, std::less<>> missing;
  for (const Limit& limit : lowering::limits::table) missing.emplace(limit.group);
  std::istringstream lines(text);
  bool isTable = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(opening)) {
      const std::string group = line.substr(opening.size(), line.find(' ', opening.size()) - opening.size());
      if (isTable) printed.offences.push_back(fmt::format("no {} before the table of {}", closing, group));
      if (missing.erase(group) == 0) printed.offences.push_back(fmt::format("{} is no group, or has two tables", group));
      printed.text += line + "\n" + tableOf(group);
      isTable = true;
    }
    if (line == closing && !isTable) printed.offences.push_back(fmt::format("{} without a table", closing));
    if (line == closing) isTable = false;
    if (!isTable) printed.text += line + "\n";
  }
  if (isTable) printed.offences.push_back(fmt::format("no {} after the last table", closing));
  for (const std::string& group : missing) printed.offences.push_back(fmt::format("no table of {}", group));
  return printed;
}

}  // namespace

TEST_CASE("docs/schedules.md has the limits of every schedule") {
  const Printed printed = withTables(tests::goldenText(page));
  INFO("bin/test_lowering --update-golden rewrites the tables between the markers of docs/schedules.md");
  REQUIRE_MESSAGE(printed.offences.empty(), fmt::format("docs/schedules.md: {}", fmt::join(printed.offences, "; ")));
  tests::checkGolden(page, printed.text);
}

TEST_CASE("a page of limits without a value, a row or a marker is not the code's") {
  std::string whole;
  for (const Limit& limit : lowering::limits::table) {
    const std::string open = fmt::format("{}{} -->\n", opening, limit.group);
    if (whole.find(open) == std::string::npos) whole += fmt::format("{}{}{}\n", open, tableOf(limit.group), closing);
  }
  REQUIRE(withTables(whole).offences.empty());
  REQUIRE(withTables(whole).text == whole);
  const auto without = [&](std::string_view part) {
    std::string rest = whole;
    REQUIRE(rest.find(part) != std::string::npos);
    return rest.erase(rest.find(part), part.size());
  };
  CHECK(withTables(without("6144")).text == whole);
  CHECK(withTables(without("| `usualBlock` | 128 threads | The block size where no rule asks for another one. |\n")).text ==
        whole);
  CHECK_FALSE(withTables(without("<!-- limits: gpu -->\n")).offences.empty());
  CHECK_FALSE(withTables(without(std::string(closing) + "\n")).offences.empty());
  CHECK_FALSE(withTables(whole + "<!-- limits: gpu -->\n<!-- /limits -->\n").offences.empty());
}

TEST_CASE("a limit is an int, an int64_t or a ratio by its unit") {
  namespace limits = lowering::limits;
  static_assert(std::is_same_v<decltype(limits::gpu::usualBlock), const int>);
  static_assert(std::is_same_v<decltype(limits::rows::registerBytes), const int64_t>);
  static_assert(limits::gpu::filledDevice.of(132) == 99);
  static_assert(limits::segments::wholeRows.isReached(59, 132) && !limits::segments::wholeRows.isReached(58, 132));
  for (const Limit& limit : limits::table) {
    CAPTURE(limit.name);
    CHECK(limit.meaning.ends_with('.'));
    CHECK((limit.value.denominator == 1 || limit.unit == Unit::Ratio));
    const auto isSame = [&](const Limit& other) { return other.group == limit.group && other.name == limit.name; };
    CHECK(std::ranges::count_if(limits::table, isSame) == 1);
  }
}
