// The program itself, given logs and results that would reach outside of their tensors.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "tests/opbench/program_bed.h"

using namespace tests;
using Bed = ProgramBed;
namespace fs = std::filesystem;

namespace {

/// The call that makes a file, as recorded.
std::string fileCall(const fs::path& made) { return "(('" + made.string() + "', True, 1000), {})"; }

/// A line of results on that call.
std::string fileResult(const fs::path& made) {
  return R"({"index":1,"op":"aten.from_file.default","sample":")" + fileCall(made) +
         R"(","device":"cpu","dtype":"float32","contender":"eager","status":"ok","median_us":1})" + "\n";
}

}  // namespace

TEST_CASE("a log that maps a file makes none: it is refused where it stands, and the other samples are raced") {
  const Bed bed(2);
  const fs::path made = bed.folder.path / "made.bin", log = bed.folder.path / "ff.txt";
  std::ofstream(log) << "Operator: aten.from_file.default\ncnt: 1, " << fileCall(made) << "\n";
  const std::string refusal = log.string() + ":1:11: aten.from_file.default is refused: it maps a file\n";
  CHECK(bed.program({"--inp-file", log, "--op", "all", "--device", "cpu"}) == 2);
  CHECK(bed.err() == "opbench: error: " + refusal + "opbench: error: no sample could be read\n");
  CHECK(bed.program({"--inp-file", log, "--list"}) == 2);
  CHECK(bed.run({"--inp-file", log}) == 2);
  CHECK(bed.err().starts_with("opbench: error: " + refusal));
  CHECK(bed.statuses() == allOk(2));
  CHECK_FALSE(fs::exists(made));
}

TEST_CASE("a line of results that maps a file makes none, whoever reads it") {
  const Bed bed(1);
  const fs::path made = bed.folder.path / "made.bin";
  const std::string results = bed.folder.path / "r.jsonl";
  std::ofstream(results) << fileResult(made);
  const std::string refusal = "opbench: error: " + results + ":1: aten.from_file.default is refused: it maps a file\n";
  const std::vector<std::vector<std::string>> commands{{"repro", results + ":1", "--output", bed.folder.path / "case"},
                                                       {"compare", results, results},
                                                       {"merge", results, "--csv", bed.folder.path / "out.csv"},
                                                       {"convert", results, "--junit", bed.folder.path / "out.xml"}};
  for (const std::vector<std::string>& command : commands) {
    CAPTURE(command.front());
    CHECK(bed.program(command) == 2);
    CHECK(bed.err() == refusal);
  }
  for (const char* name : {"made.bin", "case", "out.csv", "out.xml"}) CHECK_MESSAGE(!fs::exists(bed.folder.path / name), name);
}
