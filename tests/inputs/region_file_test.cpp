#include "inputs/region_file.h"

#include <doctest/doctest.h>

#include <fstream>

#include "inputs/files.h"
#include "inputs/sample.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"

namespace {

/// The file of a region of a network's, whose text tells its name alone.
std::string fileOf(const std::string& name, int64_t count, const std::string& network, const std::string& sample = "((), {})") {
  return inputs::toText(
      inputs::RegionFile{{{count, network, sample}}, "# graph\n\nOperator: region." + name + "\ncnt: 1, ((), {})\n"});
}

/// A folder in which networks have been recorded.
struct RegionFolder {
  std::string text(const std::string& name) const { return inputs::readFile(folder.path / (name + ".txt")); }
  bool has(const std::string& name) const { return std::filesystem::exists(folder.path / (name + ".txt")); }
  void record(const std::map<std::string, std::string>& files) const { inputs::writeRegions(files, folder.path); }
  tests::TemporaryFolder folder;
};

}  // namespace

TEST_CASE("a region that several networks have is one file, with the count of each and of all") {
  const RegionFolder folder;
  folder.record({{"a", fileOf("a", 2, "model.one.training")}, {"b", fileOf("b", 1, "model.one.training")}});
  folder.record({{"a", fileOf("a", 3, "model.two.training")}, {"c", fileOf("c", 4, "model.two.training")}});
  CHECK(folder.text("a") ==
        "#: 2 model.one.training ((), {})\n#: 3 model.two.training ((), {})\n# graph\n\nOperator: region.a\ncnt: 5, ((), {})\n");
  CHECK(folder.text("b") == fileOf("b", 1, "model.one.training"));
  CHECK(folder.text("c") == fileOf("c", 4, "model.two.training"));
  const auto uses = inputs::regionUses(folder.folder.path);
  REQUIRE(uses.at("a").size() == 2);
  CHECK(uses.at("a")[1].network == "model.two.training");
  CHECK(uses.at("a")[1].count == 3);
}

TEST_CASE("a network that is recorded again takes the place of what was recorded before; on other sizes it is another one") {
  const RegionFolder folder;
  folder.record({{"a", fileOf("a", 2, "model.one.training")}, {"b", fileOf("b", 1, "model.one.training")}});
  folder.record({{"a", fileOf("a", 7, "model.two.training")}});
  folder.record({{"a", fileOf("a", 5, "model.one.training")}});
  CHECK(folder.text("a").find("cnt: 12,") != std::string::npos);
  CHECK_FALSE(folder.has("b"));
  folder.record({{"a", fileOf("a", 1, "model.one.training", "((T([2], f16),), {})")}});
  CHECK(inputs::regionUses(folder.folder.path).at("a").size() == 3);
}

TEST_CASE("a folder with other samples, and a line that says no use, are refused") {
  const RegionFolder folder;
  std::ofstream(folder.folder.path / "mine.txt") << "Operator: aten.neg.default\ncnt: 1, ((T([2], f32),), {})\n";
  const std::string where = folder.folder.path;
  CHECK(tests::refusal(ir::ErrorKind::Input, [&] { folder.record({{"a", fileOf("a", 1, "model.one.training")}}); }) ==
        "--regions " + where + ": " + where + "/mine.txt has no line '#: COUNT NETWORK SAMPLE'");
  CHECK(tests::refusal(ir::ErrorKind::Input, [] { inputs::regionFileOf("#: many model.one.training ((), {})\n", "a.txt"); }) ==
        "a.txt: a line '#:' must be '#: COUNT NETWORK SAMPLE', got '#: many model.one.training ((), {})'");
  const tests::TemporaryFolder empty;
  CHECK(tests::refusal(ir::ErrorKind::Input, [&] {
          inputs::regionUses(empty.path);
        }).ends_with("opbench record --regions makes them"));
}
