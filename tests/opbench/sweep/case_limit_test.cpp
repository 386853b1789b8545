// How many cases of wrong results a run writes, and where.
#include "opbench/sweep/case_limit.h"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "opbench/sweep/sweep.h"
#include "tests/cache_settings.h"
#include "tests/opbench/known_ceilings.h"
#include "tests/opbench/program_bed.h"

using namespace opbench;
using namespace tests;
namespace fs = std::filesystem;

namespace {

/// A row of a wrong result, whose case is in a folder or, where that is empty, nowhere.
Row wrongRow(const std::string& folder) {
  Row row;
  row.outcomes.resize(2);
  row.outcomes[1].status = Status::Wrong;
  row.outcomes[1].caseFolder = folder;
  return row;
}

/// A sweep in this process, all of whose results are wrong.
struct LimitBed {
  LimitBed() {
    std::string text = "Operator: aten.exp.default\n";
    for (int n = 1; n <= 5; ++n) text += "cnt: 1, ((T([" + std::to_string(n) + ", 8], f32),), {})\n";
    samples = inputs::parseFile(text, "example.txt", "example").samples;
    options.device = "cpu";
    options.threads = options.repeats = 1;
    options.inProcess = true;
    options.fault = Fault::Zeros;
    options.cache = cacheIn(folder.path);
    putCeilings(options.cache);
    options.json = folder.path / "r.jsonl";
    options.cases = folder.path / "cases";
  }
  void run(int most = 1000) {
    int done = 0;
    err.str("");
    sweep(samples, options, Streams{out, err}, [&] { return done++ == most; });
  }
  /// Of each sample, the name of the folder that its row says its case is in.
  std::vector<std::string> casesInFile() const {
    std::vector<std::string> names;
    std::istringstream file(contentOf(options.json));
    for (std::string line; std::getline(file, line);) {
      const auto json = nlohmann::json::parse(line);
      if (json["contender"] != "opbench") continue;
      const fs::path path = json.value("case", "");
      const bool isNamed =
          json["reason"].get<std::string>().ends_with(path.empty() ? "writes the case" : "; its case is in " + path.string());
      CHECK_MESSAGE(isNamed, json["reason"]);
      names.push_back(path.filename());
    }
    return names;
  }
  size_t folders() const { return static_cast<size_t>(std::distance(fs::directory_iterator(options.cases), {})); }

  TemporaryFolder folder;
  std::vector<inputs::Sample> samples;
  Options options;
  std::ostringstream out, err;
};

}  // namespace

TEST_CASE("cases are counted up to the limit, and what is beyond it is told") {
  CaseLimit limit(2);
  CHECK(limit.left() == 2);
  limit.add(wrongRow("a"));
  limit.add(wrongRow(""));  // it could not be written
  CHECK(limit.left() == 1);
  limit.add(wrongRow("b"));
  CHECK(limit.left() == 0);
  CHECK(limit.complaint() == "");
  limit.add(wrongRow(""));
  CHECK(limit.complaint() ==
        "2 reproducers were written, the most that --max-cases allows; 1 more wrong result names the command that writes its");
  limit.add(wrongRow(""));
  limit.add(Row());
  CHECK(limit.complaint().ends_with("; 2 more wrong results name the command that writes theirs"));
  CaseLimit none(0);
  none.add(wrongRow("a"));
  none.add(wrongRow(""));
  CHECK(none.left() == std::numeric_limits<int>::max());
  CHECK(none.complaint() == "");
}

TEST_CASE("a run writes so many cases; the other rows name the command, and the run says so once") {
  LimitBed bed;
  bed.options.maxCases = 2;
  bed.run();
  CHECK(bed.casesInFile() == std::vector<std::string>{"1-aten.exp.default", "2-aten.exp.default", "", "", ""});
  CHECK(bed.folders() == 2);
  CHECK(bed.err.str() ==
        "opbench: 2 reproducers were written, the most that --max-cases allows; 3 more wrong results name the command that "
        "writes theirs\n");
}

TEST_CASE("cases of earlier runs are left as they are") {
  LimitBed bed;
  bed.options.maxCases = 1;
  bed.run();
  const std::string before = contentOf(bed.folder.path / "cases/1-aten.exp.default/result.jsonl");
  bed.run();
  CHECK(bed.casesInFile().front() == "1-aten.exp.default-2");
  CHECK(contentOf(bed.folder.path / "cases/1-aten.exp.default/result.jsonl") == before);
  CHECK(bed.folders() == 2);
}

TEST_CASE("a run that is resumed goes on counting") {
  LimitBed bed;
  bed.options.maxCases = 3;
  bed.run(2);
  CHECK(bed.folders() == 2);
  bed.options.resume = true;
  bed.run();
  CHECK(bed.folders() == 3);
  CHECK(bed.casesInFile() == std::vector<std::string>{"1-aten.exp.default", "2-aten.exp.default", "3-aten.exp.default", "", ""});
  bed.options.maxCases = 0;
  bed.options.resume = false;
  bed.run();
  CHECK(bed.folders() == 8);
  CHECK(bed.err.str() == "");
}

TEST_CASE("the limit is the run's, though its workers come and go") {
  const ProgramBed bed(1);
  std::ofstream samples(bed.folder.path / "samples.txt");
  samples << "Operator: aten.sum.default\n";
  for (int n = 1; n <= 6; ++n) samples << "cnt: " << 7 - n << ", ((T([" << n * 1000 << "], f32),), {})\n";
  samples.close();
  // All that is not to the bit as eager's is wrong.
  std::ofstream(bed.folder.path / "exact.yaml") << "operators: [{names: [sum], rule: exact}]\n";
  CHECK(bed.run({"--tolerances", bed.folder.path / "exact.yaml", "--cases", bed.folder.path / "cases", "--max-cases", "2",
                 "--fault", "abort@2,segfault@4"}) == 1);
  const auto statuses = bed.statuses();
  CHECK(statuses.at(2) == "crash");
  const auto wrong = std::count_if(statuses.begin(), statuses.end(), [](const auto& entry) { return entry.second == "wrong"; });
  REQUIRE(wrong > 2);
  CHECK(std::distance(fs::directory_iterator(bed.folder.path / "cases"), {}) == 2);
  const std::string complaint = "2 reproducers were written, the most that --max-cases allows; ";
  CHECK(bed.err().find(complaint) != std::string::npos);
  CHECK(bed.err().find(complaint) == bed.err().rfind(complaint));
}
