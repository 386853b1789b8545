#include "opbench/front/merge.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "ir/error.h"
#include "opbench/results/write.h"
#include "tests/golden.h"
#include "tests/opbench/rows.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;

namespace {

/// Files of the example rows.
class MergeBed {
 public:
  void write(const std::string& name, const std::vector<size_t>& numbers, const Run& run = tests::exampleRun()) {
    const std::string path = folder.path / name;
    std::ofstream file(path);
    for (const size_t number : numbers) file << results::jsonLines(tests::exampleRows().at(number - 1), run);
    options.merged.push_back(path);
  }
  bool merged() { return merge(options, Streams{out, err}); }
  std::string refusal() {
    try {
      merged();
    } catch (const ir::Error& error) {
      CHECK(error.kind() == ir::ErrorKind::Input);
      return error.what();
    }
    return "accepted";
  }
  std::string at(const std::string& name) const { return folder.path / name; }

  tests::TemporaryFolder folder;
  Options options;
  std::ostringstream out, err;
};

}  // namespace

TEST_CASE("shards are merged into what one run would have written and shown") {
  MergeBed whole, parts;
  whole.write("all.jsonl", {1, 2, 3, 4, 5, 6, 7});
  whole.options.json = whole.at("merged.jsonl");
  parts.write("a.jsonl", {6, 2, 4});
  parts.write("b.jsonl", {1, 7, 3, 5});
  parts.options.json = parts.at("merged.jsonl");
  CHECK_FALSE(whole.merged());  // one of the samples is wrong
  CHECK_FALSE(parts.merged());
  CHECK(parts.out.str() == whole.out.str());
  CHECK(parts.err.str() == "");
  CHECK(tests::contentOf(parts.options.json) == tests::contentOf(whole.at("all.jsonl")));
}

TEST_CASE("what is missing is said") {
  MergeBed bed;
  bed.write("a.jsonl", {2, 3});
  CHECK_FALSE(bed.merged());
  CHECK(bed.err.str() == "opbench: 5 of 7 samples are missing: 1, 4, 5, 6, 7\n");
}

TEST_CASE("files that are not parts of one sweep are refused") {
  MergeBed overlap;
  overlap.write("a.jsonl", {1, 2});
  overlap.write("b.jsonl", {2, 3});
  CHECK(overlap.refusal() == overlap.at("b.jsonl") + ":1: sample 2 is in " + overlap.at("a.jsonl") +
                                 ":3 as well; the files are not shards of one sweep");
  MergeBed build;
  Run run = tests::exampleRun();
  run.version = "opbench 0.2.0";
  build.write("a.jsonl", {1});
  build.write("b.jsonl", {2}, run);
  CHECK(build.refusal() ==
        build.at("b.jsonl") + ":1: its build differs: 'opbench 0.2.0', in " + build.at("a.jsonl") + " 'opbench 0.1.0'");
  MergeBed options;
  run = tests::exampleRun();
  run.options = "--dtype float16";
  options.write("a.jsonl", {1});
  options.write("b.jsonl", {2}, run);
  CHECK(options.refusal() == options.at("b.jsonl") + ":1: its options differ: '--dtype float16', in " + options.at("a.jsonl") +
                                 " '--dtype float16 --seed 7'");
  MergeBed device;
  run = tests::exampleRun();
  run.deviceName = "Other GPU";
  device.write("a.jsonl", {1});
  device.write("b.jsonl", {2}, run);
  CHECK(device.refusal().find("its device differs: 'Other GPU'") != std::string::npos);
}

TEST_CASE("shards of schema 1 are merged as they are, and not with those of another schema") {
  const std::string old = tests::contentOf(tests::settings().golden / "report-schema-1.jsonl");
  MergeBed bed;
  bed.options.merged = {bed.at("old.jsonl")};
  bed.options.json = bed.at("merged.jsonl");
  std::ofstream(bed.at("old.jsonl")) << old;
  CHECK_FALSE(bed.merged());  // one of the samples is wrong
  CHECK(tests::contentOf(bed.options.json) == old);
  bed.write("new.jsonl", {1});
  CHECK(bed.refusal() == bed.at("new.jsonl") + ":1: its schema differs: '2', in " + bed.at("old.jsonl") + " '1'");
}

TEST_CASE("a file whose run has not ended is refused") {
  MergeBed bed;
  bed.write("a.jsonl", {1});
  std::ofstream(bed.at("a.jsonl"), std::ios::app) << "{\"schema\":2,";
  CHECK(bed.refusal() ==
        bed.at("a.jsonl") + ":3: the file ends within this sample, which is left out; finish the run with --resume");
}
