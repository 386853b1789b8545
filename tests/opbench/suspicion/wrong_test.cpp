// Operators that are right on most data: default options find each.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/opbench/suspicion/own_race.h"

using namespace opbench;
using tests::ProgramBed;
namespace fs = std::filesystem;

TEST_CASE("no wrong operator passes that is right on most data, in any of these dtypes") {
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char* dtype : {"float32", "float16", "bfloat16"}) {
    const ProgramBed bed(1);
    std::ifstream calls(fs::canonical(programs / "../share/opbench/recorded") / "../../bench/wrong_kernels/samples.txt");
    REQUIRE(calls);
    for (std::string line; std::getline(calls, line);) {
      if (line.starts_with('#')) continue;
      std::istringstream words(line);
      std::string name, op, call;
      words >> name >> op;
      std::getline(words >> std::ws, call);
      CAPTURE(name);
      CAPTURE(dtype);
      tests::raceOwn(bed, "Operator: " + op + "\ncnt: 1, " + call + "\n", "eager,wrong::" + name,
                     tests::libraryBeside("zoo_wrong.so"), {"--op", "all", "--dtype", dtype});
      const Outcome outcome = tests::outcomesOf(bed).at(1);
      CHECK_MESSAGE(outcome.status == Status::Wrong, name, " is ", opbench::name(outcome.status), ": ", outcome.reason);
      fs::remove(bed.json());
    }
  }
}
