// A sweep of many samples that is killed, disturbed and resumed ends with the results of an undisturbed one. Its workers are
// tests/opbench/fake_worker.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "tests/opbench/fake_bed.h"

using namespace tests;

namespace {

constexpr int sampleCount = 150, kills = 8;

/// What is wrong with some of the samples, and the statuses that follow. Most come late, for each run that is resumed meets again
/// those before it: what fails is recorded at the end.
const std::vector<std::string> faults{"--fault",
                                      "segfault@40,abort@116,assert@126,hang@137,flood@141,huge-allocation@145,segfault@150"};
/// The last sample that is raced before the one that hangs is compiled, with three before it at the most. Runs that end before it
/// have no limit of time, so that a sample that is held does not fail.
constexpr int lastFree = 132;
std::map<int, std::string> expectedStatuses() {
  std::map<int, std::string> statuses = allOk(sampleCount);
  statuses[40] = statuses[116] = statuses[141] = statuses[150] = "crash";
  statuses[126] = "assert";
  statuses[137] = "timeout";
  statuses[145] = "oom";
  return statuses;
}

/// New each time; OPBENCH_TEST_SEED repeats one.
unsigned seedOfTest() {
  const char* text = std::getenv("OPBENCH_TEST_SEED");
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : std::random_device()();
}

/// What the lines of a results file say that no clock has a part in, in the order of samples and contenders.
std::vector<std::string> unmeasured(const std::string& file) {
  std::map<std::pair<int, std::string>, std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const auto json = nlohmann::json::parse(line);
    nlohmann::json kept;
    for (const char* field : {"index",          "op",       "sample",   "brief",     "suite",
                              "file",           "line",     "count",    "contender", "kind",
                              "status",         "reason",   "family",   "bytes",     "bytes_read",
                              "flops",          "kernels",  "schedule", "data",      "trivial_solution",
                              "deterministic",  "accuracy", "device",   "dtype",     "seed",
                              "threads",        "repeats",  "options",  "samples",   "recorded_samples",
                              "recorded_calls", "version"})
      kept[field] = json.at(field);
    lines[{json.at("index"), json.at("contender")}] = kept.dump();
  }
  std::vector<std::string> result;
  for (const auto& [key, line] : lines) result.push_back(line);
  return result;
}

/// The lines of a text, without times and the values of JUnit's properties, that hold one of the words.
std::multiset<std::string> linesWith(const std::string& text, const std::vector<std::string>& words) {
  static const std::regex measured(" (time|value)=\"[^\"]*\"");
  std::multiset<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (std::any_of(words.begin(), words.end(), [&](const std::string& word) { return line.find(word) != std::string::npos; }))
      lines.insert(std::regex_replace(line, measured, ""));
  return lines;
}

/// From the columns' headings on: the lines above say what the device does at best, as it was measured in each run.
std::string belowHeading(const std::string& report) { return report.substr(report.find("\noperator")); }

/// Points of a sweep long before the sample that hangs, as numbers of its samples, in order.
std::vector<int> pointsOf(std::mt19937& random) {
  std::vector<int> points;
  for (int i = 0; i < kills; ++i) points.push_back(std::uniform_int_distribution<int>(1, 115)(random));
  std::sort(points.begin(), points.end());
  return points;
}

/// The size of the first samples of a file of results.
size_t bytesOf(const std::string& file, int samples) {
  size_t bytes = 0;
  std::ifstream stream(file);
  std::string line;
  for (int i = 0; i < 2 * samples && std::getline(stream, line); ++i) bytes += line.size() + 1;
  return bytes;
}

/// Runs a sweep until so many of its samples are done, and kills it a moment later; on the way there perhaps its workers.
void runAndKill(const FakeBed& bed, int samples, size_t bytes, std::mt19937& random) {
  // Three fail before the one that hangs, and one where its worker is killed, which may be the one that is held.
  const int last = samples + 8;
  for (const int held : {last, last + 1}) bed.hold(held);
  std::error_code error;
  const auto before = static_cast<size_t>(std::filesystem::file_size(bed.json(), error));
  const pid_t pid = bed.start(faults);
  if (random() % 3 == 0 && waitForBytes(bed.json(), pid, error ? 1 : (before + bytes) / 2))
    for (const pid_t worker : childrenOf(pid)) kill(worker, SIGKILL);
  CHECK(waitForBytes(bed.json(), pid, bytes));
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
  kill(pid, SIGKILL);
  CHECK(ProgramBed::wait(pid) == -SIGKILL);
  for (const int held : {last, last + 1}) bed.release(held);
}

/// Something that ends a sweep while it runs, and how the sweep has to say so.
struct Ending {
  std::string what;
  std::vector<std::string> variables;                 ///< of its environment
  std::function<void(const ProgramBed&, pid_t)> act;  ///< once it is on its way
  int status = 0;
  std::string said;  ///< on standard error
};

/// A disk that fails the call of this name, with an error, at the seventh time.
Ending badDisk(const std::string& call, int error, const std::string& said) {
  const std::string library = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "faulty_disk.so";
  return {call + ": " + said,
          {"LD_PRELOAD=" + library, "ASAN_OPTIONS=verify_asan_link_order=0",
           "FAULTY_DISK=" + call + " " + std::to_string(error) + " 7"},
          [](const ProgramBed&, pid_t) {},
          2,
          ": " + said};
}

/// Everything in the cache is made odd: entries become folders, pipes, garbage and nothing, the folder itself another one.
void damageCache(const std::filesystem::path& cache) {
  namespace fs = std::filesystem;
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(cache)) entries.push_back(entry.path());
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i % 5 == 0) continue;
    fs::remove_all(entries[i]);
    if (i % 5 == 1) fs::create_directory(entries[i]);
    if (i % 5 == 2) mkfifo(entries[i].c_str(), 0600);
    if (i % 5 == 3) std::ofstream(entries[i]) << "garbage";
  }
  fs::rename(cache, cache.string() + " of before");
}

const std::vector<Ending>& endings() {
  static const std::vector<Ending> all{
      {"SIGTERM", {}, [](const ProgramBed&, pid_t pid) { kill(pid, SIGTERM); }, 128 + SIGTERM, ""},
      {"SIGHUP", {}, [](const ProgramBed&, pid_t pid) { kill(pid, SIGHUP); }, 128 + SIGHUP, ""},
      badDisk("write", ENOSPC, "No space left on device"),
      badDisk("write", EIO, "Input/output error"),
      badDisk("fdatasync", ENOSPC, "No space left on device"),
      badDisk("fdatasync", EIO, "Input/output error"),
      {"removed",
       {},
       [](const ProgramBed& bed, pid_t) { std::filesystem::remove(bed.json()); },
       2,
       "it was removed or replaced while this run wrote it; "},
  };
  return all;
}

int lastOf(const std::map<int, std::string>& statuses) { return statuses.empty() ? 0 : statuses.rbegin()->first; }

/// Has the sweep end so, a few samples later than it was; what it had done is there, and said.
void runAndEnd(const FakeBed& bed, const Ending& ending) {
  CAPTURE(ending.what);
  const auto before = bed.statuses();
  const int held = lastOf(before) + 9;
  REQUIRE(held <= lastFree);
  bed.hold(held);
  const auto size = static_cast<size_t>(std::filesystem::file_size(bed.json()));
  const pid_t pid = bed.start(faults, ending.variables);
  waitForBytes(bed.json(), pid, size + 1);
  ending.act(bed, pid);
  bed.release(held);
  CHECK(ProgramBed::wait(pid) == ending.status);
  CHECK(bed.err().find(ending.said) != std::string::npos);
  const size_t done = bed.statuses().size();
  CHECK(done > before.size());
  CHECK(bed.out().find("opbench: " + std::to_string(done) + " sample") != std::string::npos);
}

/// What costs the sweep nothing: a worker that stops at its start, a second run that wants to write the same file, a cache that
/// becomes odd.
void runWithDisturbances(const FakeBed& bed) {
  const int first = lastOf(bed.statuses()) + 2, second = lastFree;
  REQUIRE(first < second);
  bed.hold(first);
  bed.hold(second);
  bed.stopWorkers(1);
  std::vector<std::string> words = faults;
  words.insert(words.end(), {"--start-timeout", FakeBed::patience()});
  const pid_t pid = bed.start(words);
  REQUIRE(bed.waitUntilHeld(first, pid));
  CHECK(bed.stopsLeft() == 0);
  damageCache(bed.folder.path / "cache");
  const FakeBed other(1);
  CHECK(ProgramBed::wait(other.start({"--json", bed.json()})) == 2);
  CHECK(other.err() == "opbench: error: cannot write " + bed.json() + ": another run is writing it\n");
  bed.release(first);
  REQUIRE(bed.waitUntilHeld(second, pid));
  kill(pid, SIGTERM);
  bed.release(second);
  CHECK(ProgramBed::wait(pid) == 128 + SIGTERM);
  CHECK(lastOf(bed.statuses()) == second);
}

}  // namespace

TEST_CASE("a sweep with faults, whose workers and which itself are killed at random moments, reports what an unbroken one does") {
  const unsigned seed = seedOfTest();
  MESSAGE("OPBENCH_TEST_SEED=" << seed);
  std::mt19937 random(seed);
  const std::vector<int> points = pointsOf(random);
  const FakeBed bed(sampleCount);
  const std::string unbroken = bed.folder.path / "unbroken.jsonl", junit = bed.folder.path / "j.xml";
  std::vector<std::string> whole = faults;
  whole.insert(whole.end(), {"--timeout", FakeBed::patience()});
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), whole.begin(), whole.end());
    return words;
  };
  CHECK(bed.run(with({"--json", unbroken, "--junit", junit})) == 1);
  const std::vector<std::string> said{"opbench: ", "coverage: "};
  const auto report = linesWith(bed.out(), said);
  const auto cases = linesWith(contentOf(junit), {"<"});

  // What else can end it comes between the kills.
  const auto killAt = [&](int from, int to) {
    for (const int point : points)
      if (from <= point && point < to) runAndKill(bed, point, bytesOf(unbroken, point), random);
  };
  killAt(0, 50);
  for (const Ending& ending : endings()) runAndEnd(bed, ending);
  killAt(50, sampleCount);
  runWithDisturbances(bed);
  CHECK(bed.run(whole) == 1);
  CHECK(bed.run(with({"--junit", junit})) == 1);
  CHECK(bed.statuses() == expectedStatuses());
  CHECK(unmeasured(bed.json()) == unmeasured(unbroken));
  CHECK(linesWith(bed.out(), said) == report);
  CHECK(linesWith(contentOf(junit), {"<"}) == cases);

  const std::string below = belowHeading(bed.out());
  CHECK(bed.run(whole) == 1);
  CHECK(belowHeading(bed.out()) == below);
}
