// Operators of the user's that are right on a sample, and wrong on its siblings; by the program itself.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

#include "tests/opbench/suspicion/own_race.h"

using namespace opbench;
using tests::ProgramBed;
namespace fs = std::filesystem;

namespace {

constexpr const char* sample = "Operator: aten.relu.default\ncnt: 1, ((T([64, 768], f32),), {})\n";

const std::string zooLibrary = tests::libraryBeside("zoo.so");

const std::vector<std::string> mistakes{"wrong_if_large", "without_last_column", "ignores_strides"};
const std::string mistaken = fmt::format("eager,zoo::{}", fmt::join(mistakes, ",zoo::"));

/// Checks contenders on the sample, and returns the program's status.
int checkOn(const ProgramBed& bed, const std::string& contenders, const std::vector<std::string>& extra) {
  return tests::raceOwn(bed, sample, contenders, zooLibrary, extra);
}

}  // namespace

TEST_CASE("operators that are right on all siblings are right, generated kernels among them; timed or not") {
  for (const char* option : {"--no-timing", "--quiet"}) {
    const ProgramBed bed(1);
    CHECK(checkOn(bed, "eager,opbench,zoo::rectified", {"--siblings", "99", option}) == 0);
    for (const Outcome& outcome : tests::outcomesOf(bed, 3)) CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
  }
}

TEST_CASE("what is wrong on a sibling alone is wrong, with the sibling's call, which repro takes") {
  const ProgramBed bed(1);
  // Times of a busy machine may be suspect first.
  CHECK(checkOn(bed, mistaken, {"--siblings", "0", "--no-timing"}) == 0);
  CHECK(checkOn(bed, mistaken, {"--siblings", "99", "--no-timing"}) == 1);
  const std::vector<Outcome> outcomes = tests::outcomesOf(bed, 1 + mistakes.size());
  for (size_t i = 0; i < mistakes.size(); ++i) {
    CAPTURE(mistakes[i]);
    const Outcome& outcome = outcomes.at(i + 1);
    CHECK(outcome.status == Status::Wrong);
    CHECK(outcome.reason.starts_with("on its sibling " + outcome.sibling + ", "));
    CHECK_MESSAGE(outcome.reason.find("output 0 is wrong") != std::string::npos, outcome.reason);
    CHECK(outcome.speedup == std::nullopt);
    if (mistakes[i] == "ignores_strides") CHECK(outcome.sibling.find("stride=") != std::string::npos);
    const std::string folder = bed.folder.path / mistakes[i];
    const std::string line = fmt::format("{}:{}", bed.json(), i + 2);
    CHECK(bed.program({"repro", line, "--load", zooLibrary, "--output", folder}) == 0);
    CHECK(tests::contentOf(fs::path(folder) / "sample.txt").find(outcome.sibling) != std::string::npos);
  }
}

TEST_CASE("an argument lies behind an offset in its storage, of the sample itself") {
  const ProgramBed bed(1);
  CHECK(checkOn(bed, "eager,zoo::ignores_offset", {"--siblings", "0"}) == 1);
  CHECK(tests::outcomesOf(bed, 2).at(1).status == Status::Wrong);
}

TEST_CASE("two siblings tell of sizes and of strides, and a default run of a contender of the user's checks as many") {
  const auto outcomesOf = [](const std::vector<std::string>& options) {
    const ProgramBed bed(1);
    CHECK(checkOn(bed, mistaken, options) == 1);
    return tests::outcomesOf(bed, 1 + mistakes.size());
  };
  for (const char* seed : {"0", "1", "2"}) {
    CAPTURE(seed);
    const std::vector<Outcome> untimed = outcomesOf({"--seed", seed, "--siblings", "2", "--no-timing"});
    const std::vector<Outcome> byDefault = outcomesOf({"--seed", seed});
    for (size_t i = 1; i <= mistakes.size(); ++i) {
      CHECK_MESSAGE(untimed.at(i).status == Status::Wrong, mistakes[i - 1]);
      // Times of a busy machine may be suspect before siblings are checked.
      const Status status = byDefault.at(i).status;
      CHECK_MESSAGE((status == Status::Wrong || status == Status::Suspect), mistakes[i - 1]);
    }
  }
}
