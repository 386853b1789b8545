// Operators that are right on most data: default options find each.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "opbench/results/sample_result.h"
#include "tests/opbench/program_bed.h"

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
      std::ofstream(bed.folder.path / "sample.txt") << "Operator: " << op << "\ncnt: 1, " << call << '\n';
      bed.program({"--inp-file",
                   bed.folder.path / "sample.txt",
                   "--op",
                   "all",
                   "--device",
                   "cpu",
                   "--threads",
                   "1",
                   "--dtype",
                   dtype,
                   "--max-time",
                   "0.05",
                   "--cache",
                   bed.cacheSettings().folder,
                   "--json",
                   bed.json(),
                   "--no-cases",
                   "--load",
                   programs / "zoo_wrong.so",
                   "--contenders",
                   "eager,wrong::" + name});
      std::ifstream file(bed.json());
      results::readSampleResults(file, bed.json(), 2, [&](const results::SampleResult& result) {
        const Outcome& outcome = result.row.outcomes.at(1);
        CHECK_MESSAGE(outcome.status == Status::Wrong, name, " is ", opbench::name(outcome.status), ": ", outcome.reason);
      });
      fs::remove(bed.json());
    }
  }
}
