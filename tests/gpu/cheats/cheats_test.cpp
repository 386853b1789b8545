// Contenders of the user's own on the GPU, by the program itself with default options: none that cheats passes, and honest ones
// do.
#include <doctest/doctest.h>

#include <fstream>
#include <iostream>

#include "opbench/results/sample_result.h"
#include "tests/gpu/gpu.h"
#include "tests/opbench/process.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;
namespace fs = std::filesystem;

namespace {

const std::string softmax = "Operator: aten._softmax.default\ncnt: 1, ((T([4096, 4096], f32), -1, False), {})\n";
const std::string smallSoftmax = "Operator: aten._softmax.default\ncnt: 1, ((T([256, 512], f32), -1, False), {})\n";
const std::string halfSoftmax = "Operator: aten._softmax.default\ncnt: 1, ((T([4096, 4096], f16), -1, False), {})\n";
const std::string product = "Operator: aten.mm.default\ncnt: 1, ((T([4096, 4096], f32), T([4096, 4096], f32)), {})\n";
const std::string negation = "Operator: aten.neg.default\ncnt: 1, ((T([4096, 4096], f32),), {})\n";

/// An operator of zoo_cuda.so, and what is to become of it.
struct Entry {
  const char* name;
  Status status;
  const char* reason = "";  ///< a part of it
};

/// Where the program, its library and its cache are.
struct Bed {
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  const tests::TemporaryFolder folder;
};

/// The ceilings that the first race measures serve all.
const Bed& bed() {
  tests::gpu();  // ends the tests where there is none
  static const Bed made;
  return made;
}

/// The outcomes of eager and of these operators on a sample, which one process races.
std::vector<Outcome> raced(const std::string& sample, const std::vector<Entry>& entries) {
  const fs::path folder = bed().folder.path, results = folder / "results.jsonl";
  std::ofstream(folder / "samples.txt") << sample;
  fs::remove(results);
  std::string contenders = "eager";
  for (const Entry& entry : entries) contenders += std::string(",zoo::") + entry.name;
  const tests::Ended ended = tests::runProgram(
      {bed().bin / "opbench", "--device", "cuda", "--inp-file", folder / "samples.txt", "--load", bed().bin / "zoo_cuda.so",
       "--contenders", contenders, "--cache", folder / "cache", "--json", results, "--no-cases"},
      folder, {"XDG_STATE_HOME=" + (folder / "state").string()});
  std::vector<Outcome> outcomes;
  std::ifstream file(results);
  results::readSampleResults(file, results, entries.size() + 1,
                             [&](const results::SampleResult& result) { outcomes = result.row.outcomes; });
  CHECK_MESSAGE(outcomes.size() == entries.size() + 1, "status ", ended.status, "\n", ended.out, ended.err);
  return outcomes;
}

/// Races them, says what became of each, and checks that.
std::vector<Outcome> check(const std::string& sample, const std::vector<Entry>& entries) {
  std::vector<Outcome> outcomes = raced(sample, entries);
  if (outcomes.size() != entries.size() + 1) return {};
  for (size_t i = 0; i < entries.size(); ++i) {
    const Outcome& outcome = outcomes[i + 1];
    std::cout << "zoo::" << entries[i].name << ": " << name(outcome.status) << ": " << outcome.reason;
    if (outcome.timing) std::cout << " " << outcome.timing->median * 1e6 << " us";
    if (!outcome.notCaptured.empty()) std::cout << " [" << outcome.notCaptured << "]";
    std::cout << std::endl;
    CHECK_MESSAGE(outcome.status == entries[i].status, entries[i].name, " is ", name(outcome.status), ": ", outcome.reason);
    CHECK_MESSAGE(outcome.reason.find(entries[i].reason) != std::string::npos, entries[i].name, ": ", outcome.reason);
  }
  return outcomes;
}

}  // namespace

TEST_CASE("cheats: honest operators pass: captured, called directly, waiting for the device, on several streams") {
  check(softmax,
        {{"honest", Status::Ok}, {"honest_direct", Status::Ok}, {"honest_waiting", Status::Ok}, {"honest_forked", Status::Ok}});
  check(smallSoftmax,
        {{"honest", Status::Ok}, {"honest_direct", Status::Ok}, {"honest_waiting", Status::Ok}, {"honest_forked", Status::Ok}});
  check(product, {{"honest_product", Status::Ok}});
}

TEST_CASE("cheats: work that is done elsewhere is none") {
  check(softmax,
        {{"other_stream", Status::Wrong},
         {"other_stream_direct", Status::Wrong},
         {"other_stream_waited", Status::Wrong, "is wrong at"},  // by whichever check looks before the other stream is done
         {"other_thread", Status::Wrong},
         {"other_thread_waited", Status::Wrong, " (in a run among those that are timed)"}});
  check(smallSoftmax, {{"other_process", Status::Wrong, " (in a run among those that are timed)"}});
}

TEST_CASE("cheats: results of earlier runs are none") {
  check(softmax, {{"done_in_warm_up", Status::Wrong},
                  {"kept_by_address", Status::Wrong},
                  {"stale", Status::Wrong},
                  {"stale_direct", Status::Wrong},
                  {"left_in_place", Status::Wrong},
                  {"left_unless_poisoned", Status::Wrong},
                  {"only_if_poisoned", Status::Wrong},
                  {"tired", Status::Wrong, " (in "},
                  {"foreseen", Status::Wrong, "which nobody could foresee"}});
  check(product, {{"kept_by_content", Status::Suspect}});  // it takes longer on new data, and launches less on old ones
}

TEST_CASE("cheats: work that is left out, or done in fewer digits, is wrong") {
  check(softmax, {{"in_half", Status::Wrong},
                  {"without_last_rows", Status::Wrong},
                  {"nothing", Status::Wrong},
                  {"input", Status::Wrong},
                  {"copy_of_input", Status::Wrong},
                  {"writes_input", Status::Wrong, "was written"}});
  check(halfSoftmax, {{"in_eighth", Status::Wrong}});
  check(product, {{"product_in_half", Status::Wrong}});
  check(negation, {{"lazy_negation", Status::Wrong, "a negation that is not computed"}});
}

TEST_CASE("cheats: who changes the functions that time, start or await runs is suspect, and so are the others") {
  for (const Entry& entry : {Entry{"slow_clock", Status::Suspect, "events say that a run takes"},
                             Entry{"late_event", Status::Suspect, "events say that a run takes"},
                             Entry{"other_launch", Status::Suspect, "the code of libcudart.so.13 was changed in memory"},
                             Entry{"no_wait", Status::Suspect, "the code of libcudart.so.13 was changed in memory"}}) {
    const std::vector<Outcome> outcomes = check(softmax, {entry});
    if (outcomes.empty()) continue;
    CHECK_MESSAGE(outcomes[0].status == Status::Suspect, "eager beside ", entry.name, " is ", name(outcomes[0].status));
  }
}

TEST_CASE("cheats: a kernel that uses more shared memory than it has does not pass") {
  const std::vector<Outcome> outcomes = raced(softmax, {{"short_of_shared", Status::Crash}});
  if (outcomes.size() < 2) return;
  std::cout << "zoo::short_of_shared: " << name(outcomes[1].status) << ": " << outcomes[1].reason << std::endl;
  CHECK(outcomes[1].status != Status::Ok);
}
