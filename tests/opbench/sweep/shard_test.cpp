#include "opbench/sweep/shard.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "ir/error.h"
#include "opbench/select/select.h"

using namespace opbench;

namespace {

/// Samples of which every tenth has a large argument.
std::vector<inputs::Sample> samples(int count) {
  std::string text = "Operator: aten.neg.default\n";
  for (int i = 1; i <= count; ++i) text += fmt::format("cnt: 1, ((T([{}, {}], f32),), {{}})\n", i, i % 10 == 0 ? 1 << 18 : 1);
  return inputs::parseFile(text, "a.txt", "a").samples;
}

std::string refusal(const std::string& text) {
  try {
    shardFromText(text);
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("every sample is in one shard, and the same one whoever asks") {
  const auto all = samples(103);
  std::multiset<int> seen;
  for (int i = 1; i <= 4; ++i) {
    const std::vector<int> part = samplesOf({i, 4}, all);
    CHECK(part == samplesOf({i, 4}, all));
    CHECK(std::is_sorted(part.begin(), part.end()));
    seen.insert(part.begin(), part.end());
  }
  CHECK(seen.size() == 103);
  CHECK(std::set<int>(seen.begin(), seen.end()).size() == 103);
  CHECK(*seen.begin() == 1);
  CHECK(*seen.rbegin() == 103);
  CHECK(samplesOf({}, all).size() == 103);
}

TEST_CASE("shards have about as much to move each, not only as many samples") {
  const auto all = samples(200);
  std::vector<double> bytes;
  for (int i = 1; i <= 4; ++i) {
    double sum = 0;
    for (const int index : samplesOf({i, 4}, all)) sum += static_cast<double>(argumentBytes(all[static_cast<size_t>(index - 1)]));
    bytes.push_back(sum);
  }
  CHECK(*std::max_element(bytes.begin(), bytes.end()) < 1.15 * *std::min_element(bytes.begin(), bytes.end()));
}

TEST_CASE("there may be more shards than samples") { CHECK(samplesOf({5, 8}, samples(3)).empty()); }

TEST_CASE("a shard as text") {
  CHECK(shardFromText("2/8") == Shard{2, 8});
  CHECK(toText(Shard{2, 8}) == "2/8");
  CHECK(refusal("2") == "--shard must be I/N, as in 2/8, got '2'");
  CHECK(refusal("a/b") == "--shard must be I/N, as in 2/8, got 'a/b'");
  CHECK(refusal("0/8") == "--shard is I/N with I from 1 to N, not 0/8");
  CHECK(refusal("9/8") == "--shard is I/N with I from 1 to N, not 9/8");
}

TEST_CASE("a task of a job array is a shard; outside of one a run is the whole, whatever torchrun says") {
  CHECK(shardOfArray({}) == Shard{});
  CHECK(shardOfArray({"5", "3", "1", "2", "", ""}) == Shard{3, 3});
  CHECK(shardOfArray({"0", "4", "0", "1", "3", "4"}) == Shard{1, 4});
  CHECK(shardOfArray({"", "", "", "", "3", "4"}) == Shard{});
  CHECK_THROWS_WITH_AS(shardOfArray({"0", "many", "0", "1", "", ""}), "SLURM_ARRAY_TASK_COUNT must be a number, got 'many'",
                       ir::Error);
}

TEST_CASE("some tasks of an array that are handed in once more are not taken for a whole one") {
  CHECK_THROWS_WITH_AS(
      shardOfArray({"3", "1", "3", "1", "", ""}),
      "the job array begins at task 3: a task of an earlier array that is handed in once more needs its --shard I/N, as "
      "the earlier one had it",
      ir::Error);
}

TEST_CASE("a rank of torchrun is a shard where that is asked for") {
  CHECK(shardOfRank({"", "", "", "", "3", "4"}) == Shard{4, 4});
  CHECK_THROWS_WITH_AS(shardOfRank({"", "", "", "", "x", "4"}), "RANK must be a number, got 'x'", ir::Error);
  CHECK_THROWS_WITH_AS(shardOfRank({}), "RANK must be a number, got ''", ir::Error);
}
