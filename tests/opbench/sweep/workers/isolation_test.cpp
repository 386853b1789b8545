// The program itself with its own workers: samples that crash, hang and ask for too much, and what else only they can show. What
// a sweep does with workers that crash and hang otherwise is in supervision_test.cpp.
#include <doctest/doctest.h>

#include <csignal>
#include <fstream>

#include "tests/opbench/program_bed.h"

using namespace tests;
using Bed = ProgramBed;
namespace fs = std::filesystem;

TEST_CASE("workers skip what a suite's configuration leaves out, and the report says what was reached") {
  const Bed bed(4);
  const std::string config = bed.folder.path / "suite.yaml";
  const std::string text = "max_samples: {neg: 3}\nmax_bytes: {neg: 64}\n";
  std::ofstream(config) << text;
  CHECK(bed.run({"--config", config}) == 0);
  CHECK(bed.statuses() == std::map<int, std::string>{{1, "ok"}, {2, "ok"}, {3, "skipped"}});
  CHECK(bed.reasonOf(3) == "arguments take 96 bytes, more than max_bytes 64 of " + config + ":2");
  CHECK(bed.out().find("(2 generated, 1 skipped)") != std::string::npos);
  CHECK(bed.out().ends_with("coverage: 2 of 4 samples, 70% of their calls\n"));
  CHECK(bed.run({"--config", config}) == 0);
  std::ofstream(config) << text << "slow: [neg]\n";
  CHECK(bed.run({"--config", config}) == 2);
  CHECK(bed.err().find("the contents of --config, --tolerances, --program or --kernel have changed") != std::string::npos);
  std::ofstream(config) << text;
  CHECK(bed.run({"--config", config, "--slow"}) == 2);
  CHECK(bed.run({"--config", config, "--start-idx", "1"}) == 2);
  CHECK(bed.err().find("the selected samples differ") != std::string::npos);
  CHECK(bed.run({"--exclude", "ngx"}) == 2);
  CHECK(bed.err() == "opbench: error: unknown operator 'ngx'; did you mean aten.neg?\n");
}

TEST_CASE("what a sample does to its process costs that sample alone, and its status says what it was") {
  const Bed bed(20);
  CHECK(bed.run({"--timeout", patience(), "--fault",
                 "segfault@2,abort@4,assert@6,flood@8,hang@10,babble@12,huge-allocation@14,compiler-abort@16,compiler-hang@18,"
                 "abort@20"}) == 1);
  std::map<int, std::string> expected = allOk(20);
  for (const int index : {2, 4, 8, 12, 20}) expected[index] = "crash";
  expected[6] = "assert";
  expected[10] = "timeout";
  expected[14] = "oom";
  CHECK(bed.statuses() == expected);
  CHECK(bed.reasonOf(2) == "signal 11 (Segmentation fault)");
  CHECK(bed.reasonOf(6).find("Assertion `false' failed") != std::string::npos);
  CHECK(bed.reasonOf(8).starts_with("wrote too much to standard output or error; its last output:\nxxx"));
  CHECK(bed.reasonOf(10) == "timed out after " + patience() + " s");
  CHECK(bed.reasonOf(12) == "worker sent an unreadable reply: worker: not JSON from column 2 on");
  CHECK(bed.out().find("opbench: 20 samples (12 generated, 5 crashes, 1 assert, 1 timeout, 1 oom)") != std::string::npos);
  const auto compilations = bed.compilations();
  for (int index = 1; index <= 19; index += 2) CHECK(compilations.at(index) == "precompiled");
  CHECK(compilations.at(16) == "signal 6 (Aborted)");
  CHECK(compilations.at(18) == "timed out after " + patience() + " s");
}

TEST_CASE("a sweep that is killed with its workers is resumed, and says what it would have said") {
  const Bed bed(30);
  // It never gets as far as the sample whose compiler hangs; where there is no compiler, none does.
  const std::vector<std::string> fault{"--fault", "compiler-hang@20"};
  const pid_t pid = bed.start({fault[0], fault[1], "--timeout", "0"});
  // Its first bytes are no result yet: it may be killed between two of the pages that a line takes.
  while (bed.statuses().empty()) {
    REQUIRE_FALSE(hasEnded(pid));
    sleepFor(2);
  }
  kill(pid, SIGKILL);
  CHECK(Bed::wait(pid) == -SIGKILL);
  CHECK(bed.statuses().size() < 20);
  CHECK(bed.run({fault[0], fault[1], "--compilers", "0"}) == 0);
  CHECK(bed.statuses() == allOk(30));
  CHECK(bed.out().find("opbench: 30 samples (30 generated)") != std::string::npos);
}

TEST_CASE("what is profiled, checked or not, is compiled ahead of its turn, too") {
  const Bed bed(3);
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"--no-accuracy-checking"}}) {
    fs::remove(bed.json());
    std::vector<std::string> all{"profile", "--nloops",   "1",        "--sleep-between-seconds",
                                 "0",       "--no-cache", "--output", bed.folder.path / "traces"};
    all.insert(all.end(), words.begin(), words.end());
    CHECK(bed.run(all) == 0);
    CHECK(bed.compilations() == tests::all(3, "precompiled"));
  }
}

TEST_CASE("samples are compiled ahead of their turn, each once, and rows say so; a cache that has them is told, too") {
  const Bed bed(12);
  CHECK(bed.run({"--compilers", "2"}) == 0);
  CHECK(bed.statuses() == allOk(12));
  CHECK(bed.compilations() == all(12, "precompiled"));
  fs::remove(bed.json());
  CHECK(bed.run({"--compilers", "2"}) == 0);
  CHECK(bed.compilations() == all(12, "precompiled cached"));
  fs::remove(bed.json());
  CHECK(bed.run({"--compilers", "2", "--no-cache"}) == 0);
  CHECK(bed.compilations() == all(12, "precompiled"));
  fs::remove(bed.json());
  CHECK(bed.run({"--compilers", "0", "--no-cache"}) == 0);
  CHECK(bed.statuses() == allOk(12));
  CHECK(bed.compilations() == all(12, "here"));
}

TEST_CASE("in this process a sample that crashes is the end of the run") {
  const Bed bed(3);
  CHECK(bed.run({"--in-process", "--fault", "abort@2"}) == -SIGABRT);
  CHECK(bed.statuses() == std::map<int, std::string>{{1, "ok"}});
}

TEST_CASE("a contender that is too fast is raced again, by a fresh process, before its row is written") {
  const Bed bed(0);
  std::ofstream(bed.folder.path / "samples.txt") << "Operator: aten._softmax.default\n"
                                                    "cnt: 1, ((T([1024, 1024], f32), -1, False), {})\n";
  for (const char* compilation : {"precompiled", "precompiled cached"}) {
    fs::remove(bed.json());
    bed.run({"--fault", "stale-output", "--no-accuracy-checking"});
    INFO(contentOf(bed.json()) << bed.err());
    CHECK(bed.statuses().size() == 1);
    CHECK(contentOf(bed.json()).find("\"remeasured\":\"opbench ") != std::string::npos);
    CHECK(bed.out().find("measured again by a fresh process, as at first opbench ") != std::string::npos);
    CHECK(bed.compilations() == all(1, compilation));
  }
}

TEST_CASE("what keeps workers from starting is the run's error") {
  const Bed bed(2);
  CHECK(bed.run({"--tolerances", "/nonexistent.yaml"}) == 2);
  CHECK(bed.err().find("/nonexistent.yaml") != std::string::npos);
}

TEST_CASE("two devices share the samples; what failed is raced again once both have nothing else to do") {
  const Bed bed(30);
  CHECK(bed.run({"--devices", "cpu,cpu", "--fault", "abort@2,huge-allocation@11"}, {}) == 1);
  std::map<int, std::string> expected = allOk(30);
  expected[2] = "crash";
  expected[11] = "oom";
  CHECK(bed.statuses() == expected);
}
