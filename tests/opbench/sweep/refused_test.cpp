// The program itself, given what it refuses before anything runs: logs and results that would reach outside of their tensors, and
// names and texts that cannot be meant.
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

TEST_CASE("a schedule that does not parse is an error of usage, and no sample is raced") {
  const Bed bed(1);
  CHECK(bed.run({"--schedule", "xx"}) == 2);
  CHECK(bed.err() == "opbench: error: schedule: dim 'a' or ':' is expected at character 1, in place of 'xx'\n");
  CHECK_FALSE(fs::exists(bed.json()));
}

TEST_CASE("a folder of stages that is a file, or below one, is an error of usage, and no sample is raced") {
  const Bed bed(1);
  const std::string file = bed.folder.path / "stages";
  std::ofstream(file) << "text";
  for (const std::string& folder : {file, file + "/below"}) {
    CHECK(bed.run({"--dump", folder}) == 2);
    CHECK(bed.err() == "opbench: error: cannot make " + folder + ": Not a directory\n");
  }
  CHECK_FALSE(fs::exists(bed.json()));
}

TEST_CASE("a list of a user's file that names no operator is refused with its line and the nearest name") {
  const Bed bed(1);
  const std::string file = bed.folder.path / "t.yaml";
  for (const auto& [option, list] : {std::pair("--tolerances", "non_deterministic: [index_put,\n  scater_add]\n"),
                                     std::pair("--tolerances", "higher: [add,\n  scater_add]\n"),
                                     std::pair("--config", "non_deterministic: [add,\n  scater_add]\n")}) {
    CAPTURE(list);
    std::ofstream(file) << list;
    CHECK(bed.run({option, file}) == 2);
    CHECK(bed.err().starts_with("opbench: error: " + file + ":2: unknown operator 'scater_add'; did you mean aten.scatter_add"));
  }
}
