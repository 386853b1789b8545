#include "opbench/run/outcome.h"

#include <doctest/doctest.h>

#include "ir/error.h"

using namespace opbench;
using ir::ErrorKind;

namespace {

/// The outcomes of a row of two contenders whose step throws.
std::vector<Outcome> failing(ErrorKind kind, const std::string& message, const std::string& dumped = "") {
  std::vector<Outcome> outcomes(2);
  attempt(outcomes, dumped, [&] { ir::fail(kind, "{}", message); });
  return outcomes;
}

}  // namespace

TEST_CASE("what a sample's stages throw becomes its status and reason") {
  for (const Outcome& outcome : failing(ErrorKind::Unsupported, "no such dtype")) {
    CHECK(outcome.status == Status::Unsupported);
    CHECK(outcome.reason == "no such dtype");
  }
  CHECK(failing(ErrorKind::Internal, "a bug").front().status == Status::Error);
  CHECK(failing(ErrorKind::Input, "no operator").front().status == Status::Error);
}

TEST_CASE("a compiler that refuses names the folder of the stages it was given") {
  CHECK(failing(ErrorKind::Toolchain, "NVRTC says no", "dump/3-aten.add.Tensor").front().reason ==
        "NVRTC says no (its stages are in dump/3-aten.add.Tensor)");
  CHECK(failing(ErrorKind::Toolchain, "NVRTC says no").front().reason == "NVRTC says no");
}

TEST_CASE("of another library's message the first line is kept") {
  std::vector<Outcome> outcomes(1);
  attempt(outcomes, "", [] { throw std::runtime_error("boom\nframe 0\nframe 1"); });
  CHECK(outcomes[0].status == Status::Error);
  CHECK(outcomes[0].reason == "boom");
}

TEST_CASE("a failure does not hide an earlier one, and takes back the timing") {
  std::vector<Outcome> outcomes(2);
  setWrong(outcomes[0], "off by one");
  outcomes[1].timing = Timing{};
  attempt(outcomes, "", [] { throw std::runtime_error("late"); });
  CHECK(outcomes[0].status == Status::Wrong);
  CHECK(outcomes[0].reason == "off by one");
  CHECK(outcomes[1].reason == "late");
  CHECK_FALSE(outcomes[1].timing);
}
