#include "opbench/cli/outputs.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"

using namespace opbench;

namespace {

namespace fs = std::filesystem;

/// A folder with a file of samples and one of results.
struct Bed {
  Bed() {
    std::ofstream(at("s.txt")) << "Operator: aten.neg.default\ncnt: 1, ((T([8], f32),), {})\n";
    std::ofstream(at("r.jsonl")) << "{}\n";
    options.inputs = {folder.path};
  }
  std::string at(const std::string& name) const { return folder.path / name; }
  std::string refusal() const {
    return tests::refusal(ir::ErrorKind::Input, [&] { checkOutputs(options); });
  }

  tests::TemporaryFolder folder;
  Options options;
};

}  // namespace

TEST_CASE("files of their own are written, anywhere") {
  Bed bed;
  bed.options.json = bed.at("new.jsonl");
  bed.options.csv = "-";
  bed.options.junit = bed.options.dashboard = "/dev/null";
  CHECK(bed.refusal() == "nothing was refused");
}

TEST_CASE("two options cannot write one file, by whatever names, also where it is yet to be made") {
  Bed bed;
  bed.options.csv = bed.at("out");
  bed.options.junit = bed.at("./out");
  CHECK(bed.refusal() == "--csv and --junit would both write " + bed.at("./out"));
  bed.options.junit.clear();
  bed.options.json = bed.at("link");
  fs::create_symlink("out", bed.at("link"));
  CHECK(bed.refusal() == "--json and --csv would both write " + bed.at("out"));
}

TEST_CASE("a recorded log is not overwritten, also as one of a folder and through a link") {
  Bed bed;
  fs::create_hard_link(bed.at("s.txt"), bed.at("hard"));
  bed.options.json = bed.at("hard");
  CHECK(bed.refusal() == "--json would write " + bed.at("hard") + ", which this run reads");
  bed.options.json.clear();
  bed.options.verb = Verb::List;
  bed.options.markdown = bed.at("hard");
  CHECK(bed.refusal() == "--markdown would write " + bed.at("hard") + ", which this run reads");
}

TEST_CASE("configurations are not overwritten, and each verb keeps what it reads") {
  Bed race;
  race.options.config = race.options.json = race.at("c.yaml");
  CHECK(race.refusal() == "--json would write " + race.at("c.yaml") + ", which --config reads");
  Bed convert;
  convert.options.verb = Verb::Convert;
  convert.options.results = convert.options.junit = convert.at("r.jsonl");
  CHECK(convert.refusal() == "--junit would write " + convert.at("r.jsonl") + ", which opbench convert reads");
  Bed compare;
  compare.options.verb = Verb::Compare;
  compare.options.compare.base = {compare.at("a.jsonl")};
  compare.options.compare.markdown = compare.at("r.jsonl");
  compare.options.compare.candidate = {compare.options.compare.markdown};
  CHECK(compare.refusal() == "--markdown would write " + compare.at("r.jsonl") + ", which opbench compare reads");
  Bed merge;
  merge.options.verb = Verb::Merge;
  merge.options.merged = {merge.at("r.jsonl")};
  merge.options.json = merge.at("r.jsonl");
  CHECK(merge.refusal() == "--json would write " + merge.at("r.jsonl") + ", which opbench merge reads");
}
