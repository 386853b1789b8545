#include "runtime/tunings.h"

#include <doctest/doctest.h>

#include <thread>

#include "ir/text.h"
#include "lowering/lowering.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/targets.h"

using runtime::Tunings;

namespace {

std::string tilingOf(const Tunings& tunings, const std::string& key) {
  const auto found = tunings.find(key);
  return found ? found->tiling : "none";
}

void append(const std::filesystem::path& path, const std::string& text) { std::ofstream(path, std::ios::app) << text; }

ir::Loops sum(const std::string& elements) {
  return lowering::lower(ir::parseGraph("graph\n  in self f32[" + elements +
                                        "]\n  out0 f32[] = aten.sum.default(self=self, dtype=None)\n  return out0\n"))
      .front();
}

}  // namespace

TEST_CASE("what one process found the next one finds") {
  const tests::TemporaryFolder folder;
  Tunings first(folder.path / "made when needed");
  CHECK(tilingOf(first, "a") == "none");
  first.put("a", {"rows group 64", 1.25}, "softmax", "Example GPU");
  CHECK(tilingOf(first, "a") == "rows group 64");
  const Tunings next(folder.path / "made when needed");
  CHECK(tilingOf(next, "a") == "rows group 64");
  CHECK(next.find("a")->gain == 1.25);
  CHECK(next.complaint() == "");
}

TEST_CASE("the file is made for people as well") {
  const tests::TemporaryFolder folder;
  Tunings(folder.path).put("00ff", {"rows group 64", 1.25}, "softmax", "Example GPU");
  CHECK(tests::contentOf(folder.path / "tuning.jsonl") ==
        R"({"kernel":"softmax","device":"Example GPU","tiling":"rows group 64","gain":1.25,"key":"00ff"})"
        "\n");
}

TEST_CASE("no folder: what is found lasts as long as the process") {
  Tunings tunings("");
  tunings.put("a", {"rows group 64", 1.25}, "softmax", "Example GPU");
  CHECK(tilingOf(tunings, "a") == "rows group 64");
  CHECK(tilingOf(Tunings(""), "a") == "none");
}

TEST_CASE("a damaged file costs its damaged lines, one complaint, and heals when it is written") {
  const tests::TemporaryFolder folder;
  const std::filesystem::path path = folder.path / "tuning.jsonl";
  Tunings(folder.path).put("a", {"rows group 64", 1.25}, "softmax", "Example GPU");
  append(path, "not JSON\n{\"key\": 1}\n[]\n{\"key\":\"b\",\"tiling\":\"rows gr");
  Tunings damaged(folder.path);
  CHECK(tilingOf(damaged, "a") == "rows group 64");
  CHECK(tilingOf(damaged, "b") == "none");
  CHECK(damaged.complaint() == path.string() + ": 4 damaged lines ignored");
  damaged.put("c", {"rows group 32", 1.5}, "softmax", "Example GPU");
  const Tunings healed(folder.path);
  CHECK(healed.complaint() == "");
  CHECK(tilingOf(healed, "a") == "rows group 64");
  CHECK(tilingOf(healed, "c") == "rows group 32");
}

TEST_CASE("bytes that are no text at all are damage like any other") {
  const tests::TemporaryFolder folder;
  append(folder.path / "tuning.jsonl", std::string("\0\xff\n\x80", 4));
  CHECK(Tunings(folder.path).complaint().ends_with("tuning.jsonl: 2 damaged lines ignored"));
}

TEST_CASE("writers at the same time keep each other's entries") {
  const tests::TemporaryFolder folder;
  const auto keyOf = [](int writer, int i) { return std::to_string(writer) + "." + std::to_string(i); };
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer)
    writers.emplace_back([&, writer] {
      Tunings tunings(folder.path);
      for (int i = 0; i < 10; ++i) tunings.put(keyOf(writer, i), {"rows group 64", 1.25}, "softmax", "Example GPU");
    });
  for (std::thread& writer : writers) writer.join();
  const Tunings all(folder.path);
  CHECK(all.complaint() == "");
  for (int writer = 0; writer < 4; ++writer)
    for (int i = 0; i < 10; ++i) CHECK(all.find(keyOf(writer, i)).has_value());
}

TEST_CASE("a key is of the loops, the hardware and the candidates") {
  const ir::Target target = tests::hopper();
  ir::Target smaller = target;
  smaller.processors = 66;
  const ir::Loops loops = sum("300000"), others = sum("300001");
  std::vector<lowering::Tiling> candidates = lowering::candidates(loops, target, lowering::chooseTiling(loops, target));
  const std::string key = runtime::tuningKey(loops, target, "Example GPU", candidates);
  CHECK(key == runtime::tuningKey(sum("300000"), target, "Example GPU", candidates));
  CHECK(key != runtime::tuningKey(others, target, "Example GPU", candidates));
  CHECK(key != runtime::tuningKey(loops, smaller, "Example GPU", candidates));
  CHECK(key != runtime::tuningKey(loops, target, "Other GPU", candidates));
  candidates.pop_back();
  CHECK(key != runtime::tuningKey(loops, target, "Example GPU", candidates));
}
