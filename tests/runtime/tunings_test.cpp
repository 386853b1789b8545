#include "runtime/tunings.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <thread>
#include <utility>

#include "inputs/descriptor.h"
#include "ir/text/text.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/tensor/lowering.h"
#include "tests/cache_settings.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/targets.h"

using runtime::Tunings;

namespace {

std::string scheduleOf(const Tunings& tunings, const std::string& key) {
  const auto found = tunings.find(key);
  return found ? found->schedule : "none";
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
  const runtime::Cache cache(tests::cacheIn(folder.path / "made when needed"));
  Tunings first(cache);
  CHECK(scheduleOf(first, "a") == "none");
  first.put("a", {"rows group 64", 1.25}, "softmax", "Example GPU");
  CHECK(scheduleOf(first, "a") == "rows group 64");
  const Tunings next(cache);
  CHECK(scheduleOf(next, "a") == "rows group 64");
  CHECK(next.find("a")->gain == 1.25);
  CHECK(next.complaint() == "");
}

TEST_CASE("the file is made for people as well") {
  const tests::TemporaryFolder folder;
  Tunings(runtime::Cache(tests::cacheIn(folder.path))).put("00ff", {"rows group 64", 1.25}, "softmax", "Example GPU");
  CHECK(tests::contentOf(folder.path / "cache/tuning.jsonl") ==
        R"({"kernel":"softmax","device":"Example GPU","schedule":"rows group 64","gain":1.25,"key":"00ff"})"
        "\n");
}

TEST_CASE("no folder: what is found lasts as long as the process") {
  Tunings tunings;
  tunings.put("a", {"rows group 64", 1.25}, "softmax", "Example GPU");
  CHECK(scheduleOf(tunings, "a") == "rows group 64");
  CHECK(scheduleOf(Tunings(), "a") == "none");
}

TEST_CASE("a damaged file costs its damaged lines, one complaint, and heals when it is written") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  const std::filesystem::path path = folder.path / "cache/tuning.jsonl";
  Tunings(cache).put("a", {"rows group 64", 1.25}, "softmax", "Example GPU");
  append(path, "not JSON\n{\"key\": 1}\n[]\n{\"key\":\"b\",\"schedule\":\"rows gr");
  Tunings damaged(cache);
  CHECK(scheduleOf(damaged, "a") == "rows group 64");
  CHECK(scheduleOf(damaged, "b") == "none");
  CHECK(damaged.complaint() == path.string() + ": 4 damaged lines ignored");
  damaged.put("c", {"rows group 32", 1.5}, "softmax", "Example GPU");
  const Tunings healed(cache);
  CHECK(healed.complaint() == "");
  CHECK(scheduleOf(healed, "a") == "rows group 64");
  CHECK(scheduleOf(healed, "c") == "rows group 32");
}

TEST_CASE("a gain beyond what the file can say is kept as the nearest that it can") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  Tunings first(cache);
  for (const auto& [key, gain] : {std::pair{"a", 1e6}, {"b", 0.5}, {"c", 1.25}})
    first.put(key, {"rows group 64", gain}, "softmax", "Example GPU");
  const Tunings next(cache);
  CHECK(next.complaint() == "");
  for (const Tunings* tunings : {&std::as_const(first), &next}) {
    CHECK(tunings->find("a")->gain == 1000);
    CHECK(tunings->find("b")->gain == 1);
    CHECK(tunings->find("c")->gain == 1.25);
  }
}

TEST_CASE("bytes that are no text at all are damage like any other") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  append(folder.path / "cache/tuning.jsonl", std::string("\0\xff\n\x80", 4));
  CHECK(Tunings(cache).complaint().ends_with("tuning.jsonl: 2 damaged lines ignored"));
}

TEST_CASE("writers at the same time keep each other's entries") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  const auto keyOf = [](int writer, int i) { return std::to_string(writer) + "." + std::to_string(i); };
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer)
    writers.emplace_back([&, writer] {
      Tunings tunings(cache);
      for (int i = 0; i < 10; ++i) tunings.put(keyOf(writer, i), {"rows group 64", 1.25}, "softmax", "Example GPU");
    });
  for (std::thread& writer : writers) writer.join();
  const Tunings all(cache);
  CHECK(all.complaint() == "");
  for (int writer = 0; writer < 4; ++writer)
    for (int i = 0; i < 10; ++i) CHECK(all.find(keyOf(writer, i)).has_value());
}

TEST_CASE("lines of gains that no schedule has, and lines that never end, are damage") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  const std::filesystem::path path = folder.path / "cache/tuning.jsonl";
  for (const char* gain : {"-1", "0", "1e300", "null", "\"1.5\""})
    append(path, R"({"key":"a","schedule":"rows group 64","gain":)" + std::string(gain) + "}\n");
  append(path, R"({"key":"a","schedule":")" + std::string(2 << 20, 'x') + "\",\"gain\":1.5}\n");
  const Tunings damaged(cache);
  CHECK(damaged.complaint().ends_with("6 damaged lines ignored"));
  CHECK(scheduleOf(damaged, "a") == "none");
}

TEST_CASE("what is no file of the user's in the file's place is not read, nobody waits for it, and it is replaced") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  const std::filesystem::path path = folder.path / "cache/tuning.jsonl", elsewhere = folder.path / "elsewhere";
  Tunings(cache).put("a", {"rows group 64", 1.25}, "softmax", "Example GPU");
  SUBCASE("a FIFO") {
    std::filesystem::remove(path);
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  }
  SUBCASE("a folder") {
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
  }
  SUBCASE("a link") {
    std::filesystem::rename(path, elsewhere);
    std::filesystem::create_symlink(elsewhere, path);
  }
  SUBCASE("a file that others may write") {
    std::filesystem::permissions(path, std::filesystem::perms::others_write, std::filesystem::perm_options::add);
  }
  SUBCASE("a huge one") { std::filesystem::resize_file(path, uintmax_t{1} << 40); }
  SUBCASE("and the lock's is a FIFO, too") {
    std::filesystem::remove(path);
    std::filesystem::remove(path.string() + ".lock");
    REQUIRE(mkfifo((path.string() + ".lock").c_str(), 0600) == 0);
  }
  Tunings tunings(cache);
  CHECK(scheduleOf(tunings, "a") == "none");
  tunings.put("b", {"rows group 32", 1.25}, "softmax", "Example GPU");
  CHECK(scheduleOf(Tunings(cache), "b") == "rows group 32");
  CHECK(std::filesystem::is_regular_file(std::filesystem::symlink_status(path)));
}

TEST_CASE("whoever holds the lock for ever costs some time, and no entry") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  Tunings tunings(cache);
  tunings.put("a", {"rows group 64", 1.25}, "softmax", "Example GPU");
  const inputs::Descriptor held(open((folder.path / "cache/tuning.jsonl.lock").c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(flock(held.number(), LOCK_EX) == 0);
  tunings.put("b", {"rows group 32", 1.25}, "softmax", "Example GPU");
  CHECK(scheduleOf(Tunings(cache), "b") == "rows group 32");
}

TEST_CASE("a key is of all loops of a call, the other ones' schedules, the candidates and what measured them") {
  const ir::Target target = tests::hopper();
  ir::Target smaller = target;
  smaller.processors = 66;
  const auto nestsOf = [&](const std::string& second) {
    return lowering::analyze(std::vector<ir::Loops>{sum("300000"), sum(second)}, target);
  };
  const std::vector<lowering::LoopNest> nests = nestsOf("4000");
  const lowering::Schedule rules = lowering::chooseSchedule(nests[0], target);
  std::vector<lowering::Schedule> candidates = lowering::candidates(nests[0], target, rules);
  const std::vector<std::optional<lowering::Schedule>> schedules{rules, lowering::chooseSchedule(nests[1], target)};
  const runtime::TuningPlace place{target, "Example GPU", "NVRTC 13.0", "opbench 0.1.0 (1234567)"};
  const std::string key = runtime::tuningKey(nests, schedules, 0, candidates, place);
  CHECK(key == runtime::tuningKey(nestsOf("4000"), schedules, 0, candidates, place));
  CHECK(key != runtime::tuningKey(nestsOf("4001"), schedules, 0, candidates, place));
  CHECK(key != runtime::tuningKey(nests, schedules, 1, candidates, place));
  CHECK(key == runtime::tuningKey(nests, {candidates[1], schedules[1]}, 0, candidates, place));
  CHECK(key != runtime::tuningKey(nests, {schedules[0], candidates[1]}, 0, candidates, place));
  CHECK(key != runtime::tuningKey(nests, schedules, 0, candidates, {smaller, place.device, place.software, place.opbench}));
  CHECK(key != runtime::tuningKey(nests, schedules, 0, candidates, {target, "Other GPU", place.software, place.opbench}));
  CHECK(key != runtime::tuningKey(nests, schedules, 0, candidates, {target, place.device, "NVRTC 13.1", place.opbench}));
  CHECK(key != runtime::tuningKey(nests, schedules, 0, candidates, {target, place.device, place.software, "opbench 0.2.0"}));
  candidates.pop_back();
  CHECK(key != runtime::tuningKey(nests, schedules, 0, candidates, place));
}
