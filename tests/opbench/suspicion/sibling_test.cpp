// Operators of the user's that are right on a sample, and wrong on its siblings; by the program itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "tests/opbench/suspicion/own_race.h"

using namespace opbench;
using tests::ProgramBed;
namespace fs = std::filesystem;

namespace {

constexpr const char* sample = "Operator: aten.relu.default\ncnt: 1, ((T([64, 768], f32),), {})\n";

const std::string zooLibrary = tests::libraryBeside("zoo.so");

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
  struct Mistake {
    std::string name, what;
  };
  for (const Mistake& mistake : {Mistake{"wrong_if_large", "T([64, 4097], f32)"},
                                 Mistake{"without_last_column", "T([64, 4097], f32)"}, Mistake{"ignores_strides", "stride="}}) {
    CAPTURE(mistake.name);
    const ProgramBed bed(1);
    CHECK(checkOn(bed, "eager,zoo::" + mistake.name, {"--siblings", "0"}) == 0);
    CHECK(checkOn(bed, "eager,zoo::" + mistake.name, {"--siblings", "99"}) == 1);
    const Outcome outcome = tests::outcomesOf(bed, 2).at(1);
    CHECK(outcome.status == Status::Wrong);
    CHECK(outcome.reason.starts_with("on its sibling " + outcome.sibling + ", "));
    CHECK_MESSAGE(outcome.reason.find("output 0 is wrong") != std::string::npos, outcome.reason);
    CHECK(outcome.speedup == std::nullopt);
    if (mistake.name == "ignores_strides") CHECK(outcome.sibling.find(mistake.what) != std::string::npos);
    const std::string folder = bed.folder.path / "case";
    CHECK(bed.program({"repro", bed.json() + ":2", "--load", zooLibrary, "--output", folder}) == 0);
    CHECK(tests::contentOf(fs::path(folder) / "sample.txt").find(outcome.sibling) != std::string::npos);
  }
}

TEST_CASE("an argument lies behind an offset in its storage, of the sample itself") {
  const ProgramBed bed(1);
  CHECK(checkOn(bed, "eager,zoo::ignores_offset", {"--siblings", "0"}) == 1);
  CHECK(tests::outcomesOf(bed, 2).at(1).status == Status::Wrong);
}

TEST_CASE("a default run of a contender of the user's checks two siblings, which tell of sizes and of strides") {
  for (const char* name : {"wrong_if_large", "without_last_column", "ignores_strides"})
    for (const char* seed : {"0", "1", "2"}) {
      CAPTURE(name);
      CAPTURE(seed);
      const ProgramBed bed(1);
      CHECK(checkOn(bed, std::string("eager,zoo::") + name, {"--seed", seed}) == 1);
    }
}
