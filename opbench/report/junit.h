#pragma once

#include <string>
#include <utility>
#include <vector>

#include "opbench/results/record.h"

namespace opbench::report {

/// A test case of a JUnit file.
struct TestCase {
  enum class Outcome { Passed, Failed, Skipped };

  std::string suite, name;
  double seconds = 0;  ///< of wall time
  Outcome outcome = Outcome::Passed;
  std::string type, message;  ///< of a failure: `slow`, `+5.1 % ...`; the message of one that is skipped
  std::vector<std::pair<std::string, std::string>> properties{};  ///< further figures: {`speedup`, `1.63`}
};

/// A test case's name: the sample, its dtype and the contender.
std::string caseName(const results::Record& record);

/// JUnit XML: `testsuites` of one `testsuite` each for the cases with the same suite, in the order in which suites first appear.
std::string junit(const std::string& title, const std::vector<TestCase>& cases);

/// The test cases of one run: what is wrong, failed or impossible is a failure; what is unsupported or skipped is skipped. What
/// is right has passed, timed or not.
std::string junit(const std::vector<results::Record>& records);

}  // namespace opbench::report
