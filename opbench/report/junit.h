#pragma once

#include <map>
#include <string>
#include <vector>

namespace opbench::report {

/// A test case of a JUnit file.
struct TestCase {
  enum class Outcome { Passed, Failed, Skipped };

  std::string suite, name;
  double seconds = 0;
  Outcome outcome = Outcome::Passed;
  std::string type, message;  ///< of a failure: `slow`, `+5.1 % ...`; the message of one that is skipped
};

/// JUnit XML: `testsuites` of one `testsuite` each for the cases with the same suite, in the order in which suites first appear.
std::string junit(const std::string& title, const std::vector<TestCase>& cases);

}  // namespace opbench::report
