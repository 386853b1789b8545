// What `opbench repro` does with files that are there already.
#include "inputs/print.h"
#include "opbench/cases/folder.h"
#include "tests/opbench/repro/repro_bed.h"

using namespace opbench;
using namespace tests;
namespace fs = std::filesystem;

TEST_CASE("a folder of other files is refused before anything is written") {
  ReproBed bed;
  fs::create_directory(bed.at("case"));
  bed.write("case/sample.txt", "mine");
  const std::string refusal = "case is not empty and not a reproducer; choose another folder with --output";
  CHECK(bed.reproRefusal("results.jsonl:1") == refusal);
  bed.write("case/case.json", "{}");
  CHECK(bed.reproRefusal("results.jsonl:1") == refusal);
  CHECK(bed.content("sample.txt") == "mine");
  CHECK(std::distance(fs::directory_iterator(bed.at("case")), {}) == 2);
  bed.write("file", "mine");
  CHECK(bed.reproRefusal("results.jsonl:1", {}, "file").starts_with("cannot make "));
  CHECK(contentOf(bed.at("file")) == "mine");
}

TEST_CASE("an empty folder and one of an earlier case are written") {
  ReproBed bed;
  fs::create_directory(bed.at("case"));
  CHECK(bed.reproduces("results.jsonl:1"));
  CHECK(bed.reproduces("one.txt"));
  CHECK(bed.content("sample.txt") == "# aten.neg.default\nOperator: aten.neg.default\ncnt: 1, ((T([8], f16),), {})\n");
  CHECK_FALSE(fs::exists(bed.at("case/earlier")));
}

TEST_CASE("nothing is written through links") {
  ReproBed bed;
  CHECK(bed.reproduces("one.txt"));
  bed.write("mine", "mine");
  fs::remove(bed.at("case/run.sh"));
  fs::create_symlink(bed.at("mine"), bed.at("case/run.sh"));
  CHECK(bed.reproRefusal("one.txt") == "case/run.sh is a link; choose another folder with --output");
  CHECK(contentOf(bed.at("mine")) == "mine");
}

TEST_CASE("a case that is repeated in its own folder is kept below it") {
  ReproBed bed;
  CHECK(bed.reproduces("results.jsonl:1"));
  const std::string words = bed.content("run.words"), sample = bed.content("sample.txt"), result = bed.content("result.jsonl");

  CHECK(bed.reproduces("case/sample.txt"));
  CHECK(bed.out.str().find((fs::path(bed.at("case")) / "earlier").string() + ": the case that was repeated, as it was\n") !=
        std::string::npos);
  for (const char* name : {"case.json", "sample.txt", "run.words", "run.sh", "driver.py", "inputs/1.bin", "result.jsonl",
                           "stages/1-aten.add.Tensor/60-race.jsonl"}) {
    CHECK_MESSAGE(fs::exists(bed.folder.path / "case" / name), name);
    CHECK_MESSAGE(fs::exists(bed.folder.path / "case/earlier" / name), name);
  }
  CHECK(bed.content("earlier/run.words") == words);
  CHECK(bed.content("earlier/sample.txt") == sample);
  CHECK(bed.content("earlier/result.jsonl") == result);

  const std::string second = bed.content("result.jsonl");
  CHECK(bed.reproduces("case/result.jsonl:2"));
  CHECK(bed.content("earlier-2/result.jsonl") == second);
  CHECK(bed.content("earlier/result.jsonl") == result);
  CHECK(bed.reproduces("case/stages/1-aten.add.Tensor"));
  CHECK(fs::exists(bed.at("case/earlier-3/stages/1-aten.add.Tensor/00-sample.txt")));
  CHECK(bed.reproduces("case/earlier/sample.txt"));
  CHECK(bed.content("earlier/sample.txt") == sample);
  CHECK(fs::exists(bed.at("case/earlier-4/result.jsonl")));
}

TEST_CASE("a case whose file has another name in the folder is kept as well") {
  ReproBed bed;
  CHECK(bed.reproduces("results.jsonl:1"));
  const std::string result = bed.content("result.jsonl");
  fs::create_hard_link(bed.at("case/result.jsonl"), bed.at("hard.jsonl"));
  fs::create_symlink(bed.at("case/result.jsonl"), bed.at("soft.jsonl"));
  CHECK(bed.reproduces("hard.jsonl:2"));
  CHECK(contentOf(bed.at("hard.jsonl")) == result);
  CHECK(bed.content("earlier/result.jsonl") == result);
  const std::string second = bed.content("result.jsonl");
  CHECK(bed.reproduces("soft.jsonl:2"));
  CHECK(bed.content("earlier-2/result.jsonl") == second);
}

TEST_CASE("no report is written over what the case is read from") {
  ReproBed bed;
  const std::string results = contentOf(bed.at("results.jsonl")), refusal = " holds the sample to reproduce; ";
  for (std::string Options::* report : {&Options::csv, &Options::junit, &Options::dashboard, &Options::html}) {
    Options options;
    options.*report = bed.at("results.jsonl");
    CHECK(bed.reproRefusal("results.jsonl:1", options).starts_with("results.jsonl" + refusal));
  }
  CHECK(bed.reproduces("results.jsonl:1"));
  Options options;
  options.csv = bed.at("case/stages/1-aten.add.Tensor/60-race.jsonl");
  CHECK(bed.reproRefusal("case/stages/1-aten.add.Tensor", options, "other").find(refusal) != std::string::npos);
  CHECK(contentOf(bed.at("results.jsonl")) == results);
}

TEST_CASE("a case that cannot be written leaves the one that is there") {
  ReproBed bed;
  CHECK(bed.reproduces("one.txt"));
  const std::string sample = bed.content("sample.txt");
  bed.write("text.txt", "Operator: aten.neg.default\ncnt: 1, (('\xff',), {})\n");
  CHECK(bed.reproRefusal("text.txt").find("is no UTF-8") != std::string::npos);
  CHECK(bed.content("sample.txt") == sample);
}

TEST_CASE("a free folder is one that was not there") {
  const TemporaryFolder folder;
  CHECK(makeFreeFolder(folder.path / "below", "a") == folder.path / "below/a");
  CHECK(makeFreeFolder(folder.path / "below", "a") == folder.path / "below/a-2");
  std::ofstream(folder.path / "below/a-3") << "a file";
  CHECK(makeFreeFolder(folder.path / "below", "a") == folder.path / "below/a-4");
}

TEST_CASE("foreign text stays in comments") {
  CHECK(inputs::commentText("a\nOperator: b\n\rcnt: 1\x1b[2J\x7f") == "# a\n# Operator: b\n# ?cnt: 1?[2J?");
  CHECK(inputs::commentText("") == "# ");
}
