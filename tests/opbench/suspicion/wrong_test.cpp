// Operators that are right on most data: default options find each.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "tests/opbench/suspicion/own_race.h"

using namespace opbench;
using tests::ProgramBed;
namespace fs = std::filesystem;

namespace {

/// A wrong operator, and the sample that it takes.
struct Mistake {
  std::string name, op, call;
};

/// The mistakes of bench/wrong_kernels, in runs: each run has one mistake of an operator.
std::vector<std::map<std::string, Mistake>> runsOfMistakes() {
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
  std::ifstream file(fs::canonical(programs / "../share/opbench/recorded") / "../../bench/wrong_kernels/samples.txt");
  REQUIRE(file);
  std::vector<std::map<std::string, Mistake>> runs;
  std::map<std::string, size_t> runsOf;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    Mistake mistake;
    words >> mistake.name >> mistake.op;
    std::getline(words >> std::ws, mistake.call);
    const size_t run = runsOf[mistake.op]++;
    if (run == runs.size()) runs.emplace_back();
    runs[run].emplace(mistake.op, mistake);
  }
  return runs;
}

}  // namespace

TEST_CASE("no wrong operator passes that is right on most data, in any of these dtypes") {
  for (const char* dtype : {"float32", "float16", "bfloat16"}) {
    CAPTURE(dtype);
    for (const auto& mistakes : runsOfMistakes()) {
      const ProgramBed bed(1);
      std::string samples, contenders = "eager";
      for (const auto& [op, mistake] : mistakes) {
        samples += fmt::format("Operator: {}\ncnt: 1, {}\n", op, mistake.call);
        contenders += fmt::format(",wrong::{}@{}", mistake.name, op);
      }
      CHECK(tests::raceOwn(bed, samples, contenders, tests::libraryBeside("zoo_wrong.so"), {"--op", "all", "--dtype", dtype}) ==
            1);
      const auto outcomes = tests::allOutcomesOf(bed, 2);
      CHECK(outcomes.size() == mistakes.size());
      for (const auto& [op, ofSample] : outcomes) {
        const std::string name = mistakes.at(op).name;
        CHECK(ofSample.at(1).contender.name() == "wrong::" + name);
        CHECK_MESSAGE(ofSample[1].status == Status::Wrong, name, " is ", opbench::name(ofSample[1].status), ": ",
                      ofSample[1].reason);
      }
    }
  }
}
