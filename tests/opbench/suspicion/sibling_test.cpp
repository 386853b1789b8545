// Operators of the user's that are right on a sample, and wrong on its siblings; by the program itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "opbench/results/sample_result.h"
#include "tests/opbench/program_bed.h"

using namespace opbench;
using tests::ProgramBed;
namespace fs = std::filesystem;

namespace {

constexpr const char* sample = "Operator: aten.relu.default\ncnt: 1, ((T([64, 768], f32),), {})\n";

std::string zooLibrary() { return fs::read_symlink("/proc/self/exe").parent_path() / "zoo.so"; }

/// Checks contenders on the sample, and returns the program's status.
int checkOn(const ProgramBed& bed, const std::string& contenders, const std::vector<std::string>& extra) {
  std::ofstream(bed.folder.path / "relu.txt") << sample;
  std::vector<std::string> words{
      "--inp-file", bed.folder.path / "relu.txt", "--device", "cpu",      "--threads", "1",          "--max-time",   "0.05",
      "--cache",    bed.cacheSettings().folder,   "--json",   bed.json(), "--load",    zooLibrary(), "--contenders", contenders,
      "--no-cases"};
  words.insert(words.end(), extra.begin(), extra.end());
  return bed.program(words);
}

std::vector<Outcome> siblingOutcomes(const ProgramBed& bed, size_t contenders) {
  std::vector<Outcome> outcomes;
  std::ifstream file(bed.json());
  results::readSampleResults(file, bed.json(), contenders,
                             [&](const results::SampleResult& result) { outcomes = result.row.outcomes; });
  return outcomes;
}

}  // namespace

TEST_CASE("operators that are right on all siblings are right, generated kernels among them; timed or not") {
  for (const char* option : {"--no-timing", "--quiet"}) {
    const ProgramBed bed(1);
    CHECK(checkOn(bed, "eager,opbench,zoo::rectified", {"--siblings", "99", option}) == 0);
    for (const Outcome& outcome : siblingOutcomes(bed, 3)) CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
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
    const Outcome outcome = siblingOutcomes(bed, 2).at(1);
    CHECK(outcome.status == Status::Wrong);
    CHECK(outcome.reason.starts_with("on its sibling " + outcome.sibling + ", "));
    CHECK_MESSAGE(outcome.reason.find("output 0 is wrong") != std::string::npos, outcome.reason);
    CHECK(outcome.speedup == std::nullopt);
    if (mistake.name == "ignores_strides") CHECK(outcome.sibling.find(mistake.what) != std::string::npos);
    const std::string folder = bed.folder.path / "case";
    CHECK(bed.program({"repro", bed.json() + ":2", "--load", zooLibrary(), "--output", folder}) == 0);
    CHECK(tests::contentOf(fs::path(folder) / "sample.txt").find(outcome.sibling) != std::string::npos);
  }
}

TEST_CASE("an argument lies behind an offset in its storage, of the sample itself") {
  const ProgramBed bed(1);
  CHECK(checkOn(bed, "eager,zoo::ignores_offset", {"--siblings", "0"}) == 1);
  CHECK(siblingOutcomes(bed, 2).at(1).status == Status::Wrong);
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
