#include "opbench/report/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "inputs/text/printable.h"

namespace opbench::report {
namespace {

/// Text as an attribute's value.
std::string escaped(std::string_view text) {
  std::string result;
  for (char c : inputs::printable(text)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\n': result += "&#10;"; break;
      case '\t': result += "&#9;"; break;
      default: result += c;
    }
  }
  return result;
}

/// The figures of a test case as its properties; empty where it has none.
std::string propertiesText(const TestCase& test) {
  if (test.properties.empty()) return "";
  std::string text = "      <properties>\n";
  for (const auto& [name, value] : test.properties)
    text += fmt::format("        <property name=\"{}\" value=\"{}\"/>\n", escaped(name), escaped(value));
  return text + "      </properties>\n";
}

std::string outcomeText(const TestCase& test) {
  switch (test.outcome) {
    case TestCase::Outcome::Passed: return "";
    case TestCase::Outcome::Failed:
      return fmt::format("      <failure type=\"{}\" message=\"{}\"/>\n", escaped(test.type), escaped(test.message));
    case TestCase::Outcome::Skipped: return fmt::format("      <skipped message=\"{}\"/>\n", escaped(test.message));
  }
  return "";
}

std::string text(const TestCase& test) {
  const std::string head = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\"", escaped(test.suite),
                                       escaped(test.name), test.seconds);
  const std::string content = propertiesText(test) + outcomeText(test);
  return content.empty() ? head + "/>\n" : head + ">\n" + content + "    </testcase>\n";
}

/// `tests="3" failures="1" skipped="0"`
std::string counts(const std::vector<const TestCase*>& cases) {
  const auto number = [&](TestCase::Outcome outcome) {
    return std::count_if(cases.begin(), cases.end(), [=](const TestCase* test) { return test->outcome == outcome; });
  };
  return fmt::format("tests=\"{}\" failures=\"{}\" skipped=\"{}\"", cases.size(), number(TestCase::Outcome::Failed),
                     number(TestCase::Outcome::Skipped));
}

TestCase::Outcome outcomeOf(const results::Record& record) {
  switch (record.disposition) {
    case results::Disposition::Measured: return TestCase::Outcome::Passed;
    case results::Disposition::Wrong:
    case results::Disposition::Failed:
    case results::Disposition::Impossible: return TestCase::Outcome::Failed;
    // A contender that was only checked has no time.
    case results::Disposition::Unmeasured: return record.status == "ok" ? TestCase::Outcome::Passed : TestCase::Outcome::Skipped;
  }
  return TestCase::Outcome::Failed;
}

/// The contender's part of the wall time that its sample took, or, in files without it, the time of a run.
double secondsOf(const results::Record& record, const std::map<int64_t, int>& contenders) {
  if (record.wallSeconds) return *record.wallSeconds / contenders.at(record.index);
  return record.median.value_or(0) * 1e-6;
}

}  // namespace

std::string caseName(const results::Record& record) {
  return fmt::format("{} [{}, {}]", record.sample, record.dtype, record.contender);
}

std::string junit(const std::vector<results::Record>& records) {
  std::vector<TestCase> cases;
  std::map<int64_t, int> contenders;
  for (const results::Record& record : records) ++contenders[record.index];
  for (const results::Record& record : records) {
    TestCase test{record.op, caseName(record), secondsOf(record, contenders), outcomeOf(record), record.status, record.reason,
                  {}};
    if (record.median) test.properties.emplace_back("median_us", fmt::format("{}", *record.median));
    if (record.speedup && !record.isBaseline) test.properties.emplace_back("speedup", fmt::format("{}", *record.speedup));
    cases.push_back(std::move(test));
  }
  return junit("opbench", cases);
}

std::string junit(const std::string& title, const std::vector<TestCase>& cases) {
  std::vector<std::string> suites;
  std::map<std::string, std::vector<const TestCase*>> bySuite;
  std::vector<const TestCase*> all;
  for (const TestCase& test : cases) {
    auto& members = bySuite[test.suite];
    if (members.empty()) suites.push_back(test.suite);
    members.push_back(&test);
    all.push_back(&test);
  }
  std::string result =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n", escaped(title), counts(all));
  for (const std::string& suite : suites) {
    result += fmt::format("  <testsuite name=\"{}\" {}>\n", escaped(suite), counts(bySuite[suite]));
    for (const TestCase* test : bySuite[suite]) result += text(*test);
    result += "  </testsuite>\n";
  }
  return result + "</testsuites>\n";
}

}  // namespace opbench::report
