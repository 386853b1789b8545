// The program itself, whose workers (tests/opbench/fake_worker) crash, hang, stop and say what is no reply; and who ends it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <sys/resource.h>

#include <csignal>

#include "tests/opbench/fake_bed.h"

using namespace tests;
namespace fs = std::filesystem;

TEST_CASE("a sample that crashes its worker, hangs or asks for too much costs itself alone, after a second try") {
  const FakeBed bed(12);
  const std::string patience = FakeBed::patience();
  CHECK(bed.run({"--timeout", patience, "--fault", "segfault@2,abort@4,assert@5,hang@7,huge-allocation@9,abort@12"}) == 1);
  std::map<int, std::string> expected = allOk(12);
  expected[2] = expected[4] = expected[12] = "crash";
  expected[5] = "assert";
  expected[7] = "timeout";
  expected[9] = "oom";
  CHECK(bed.statuses() == expected);
  CHECK(bed.reasonOf(2) == "signal 11 (Segmentation fault)");
  CHECK(bed.reasonOf(5).find("Assertion `false' failed") != std::string::npos);
  CHECK(bed.reasonOf(7) == "timed out after " + patience + " s");
  CHECK(bed.out().find("opbench: 12 samples (6 generated, 3 crashes, 1 assert, 1 timeout, 1 oom)") != std::string::npos);
}

TEST_CASE("a sample that writes without end, or garbles its worker's answer, costs itself alone") {
  const FakeBed bed(6);
  CHECK(bed.run({"--fault", "flood@2,babble@4"}) == 1);
  std::map<int, std::string> expected = allOk(6);
  expected[2] = expected[4] = "crash";
  CHECK(bed.statuses() == expected);
  CHECK(bed.reasonOf(2).starts_with("wrote too much to standard output or error; its last output:\nxxx"));
  CHECK(bed.reasonOf(4) == "worker sent an unreadable reply: worker: not JSON from column 2 on");
}

TEST_CASE("a worker that the system does not let go of costs its sample, and another one goes on") {
  const FakeBed bed(4);
  CHECK(bed.run({"--timeout", FakeBed::patience(), "--fault", "undead@2"}) == 1);
  std::map<int, std::string> expected = allOk(4);
  expected[2] = "timeout";
  CHECK(bed.statuses() == expected);
  CHECK(bed.err().find(" cannot be killed; it is abandoned\n") != std::string::npos);
}

TEST_CASE("a worker that stops at its start is replaced; where all of them do, the run ends and says so") {
  const FakeBed bed(3);
  const std::vector<std::string> briefly{"--start-timeout", FakeBed::patience(), "--compilers", "0"};
  bed.stopWorkers(1);
  CHECK(bed.run(briefly) == 0);
  CHECK(bed.stopsLeft() == 0);
  CHECK(bed.statuses() == allOk(3));

  fs::remove(bed.json());
  bed.stopWorkers(2);
  CHECK(bed.run(briefly) == 1);
  CHECK(bed.stopsLeft() == 0);
  CHECK(bed.err() == "opbench: error: worker startup timed out after " + FakeBed::patience() + " s\n");
}

TEST_CASE("a compiler that crashes or hangs costs that compilation, and the sample is raced all the same") {
  const FakeBed bed(12);
  CHECK(bed.run({"--compilers", "2", "--timeout", FakeBed::patience(), "--fault", "compiler-abort@3,compiler-hang@7"}) == 0);
  CHECK(bed.statuses() == allOk(12));
  std::map<int, std::string> expected = all(12, "precompiled");
  expected[3] = "signal 6 (Aborted)";
  expected[7] = "timed out after " + FakeBed::patience() + " s";
  CHECK(bed.compilations() == expected);
}

TEST_CASE("workers and compilers know how long a sample may take, which results do not depend on") {
  const FakeBed bed(2);
  bed.hold(1);
  const pid_t pid = bed.start({"--timeout", "777", "--compilers", "1"});
  REQUIRE(bed.waitUntilHeld(1, pid));
  const std::vector<pid_t> processes = childrenOf(pid);
  CHECK(processes.size() == 2);
  const std::string told{"\0--timeout\000777\0", 15};
  for (const pid_t process : processes)
    CHECK(contentOf(fmt::format("/proc/{}/cmdline", process)).find(told) != std::string::npos);
  bed.release(1);
  CHECK(FakeBed::wait(pid) == 0);
  CHECK(contentOf(bed.json()).find("--timeout") == std::string::npos);
}

TEST_CASE("what crashes whoever touches it is reported as it is where it is raced") {
  const FakeBed bed(6);
  CHECK(bed.run({"--compilers", "1", "--fault", "segfault@1,segfault@2,segfault@3,segfault@4"}) == 1);
  std::map<int, std::string> expected = allOk(6);
  for (int i = 1; i <= 4; ++i) expected[i] = "crash";
  CHECK(bed.statuses() == expected);
  CHECK(bed.err().find("compiler processes keep crashing, falling back to compiling in the worker: signal 11 (") !=
        std::string::npos);
}

TEST_CASE("a worker that is killed from outside is replaced, and its sample raced again, which its row says") {
  const FakeBed bed(60);
  bed.hold(20);
  bed.hold(40);
  const pid_t pid = bed.start({});
  for (const int index : {20, 40}) {
    REQUIRE(bed.waitUntilHeld(index, pid));
    for (const pid_t worker : childrenOf(pid)) kill(worker, SIGKILL);
    bed.release(index);
  }
  CHECK(FakeBed::wait(pid) == 0);
  CHECK(bed.statuses() == allOk(60));
  CHECK(contentOf(bed.json()).find("\"retried\":\"crash: signal 9 (Killed)\"") != std::string::npos);
  const std::string recovered = "2  of 60 samples passed on the second try\n";
  const std::string report = bed.out();
  CHECK(report.find("    passed on the second try, after crash: signal 9 (Killed)\n") != std::string::npos);
  CHECK(report.find(recovered) != std::string::npos);
  CHECK(bed.run() == 0);
  CHECK(bed.out().find(recovered) != std::string::npos);
}

TEST_CASE("Ctrl-C, a scheduler's SIGTERM and a closed terminal finish the sample at hand and report; no worker is left") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    const FakeBed bed(8);
    bed.hold(4);
    const pid_t pid = bed.start({});
    REQUIRE(bed.waitUntilHeld(4, pid));
    const std::vector<pid_t> workers = childrenOf(pid);
    CHECK(workers.size() == 2);  // and a compiler
    // Schedulers tell every process of a job.
    for (const pid_t worker : workers) kill(worker, signal);
    kill(pid, signal);
    bed.release(4);
    CHECK(FakeBed::wait(pid) == 128 + signal);
    CHECK(bed.statuses() == allOk(4));
    CHECK(bed.out().find("opbench: 4 samples") != std::string::npos);
    CHECK(contentOf(bed.json()).find("\"retried\":\"") == std::string::npos);
    for (const pid_t worker : workers) CHECK(kill(worker, 0) != 0);
  }
}

TEST_CASE("a signal that the program was started to ignore, as by nohup, does not end it") {
  const FakeBed bed(4);
  bed.hold(2);
  const auto before = std::signal(SIGHUP, SIG_IGN);
  const pid_t pid = bed.start({});
  std::signal(SIGHUP, before);
  REQUIRE(bed.waitUntilHeld(2, pid));
  kill(pid, SIGHUP);
  bed.release(2);
  CHECK(FakeBed::wait(pid) == 0);
  CHECK(bed.statuses() == allOk(4));
}

TEST_CASE("a report that cannot be written is an error, of a race and of what else is printed") {
  const FakeBed bed(1);
  const std::string refusal = "opbench: error: cannot write to standard output";
  CHECK(bed.run() == 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--help"}, {"compare", bed.json(), bed.json()}, {"merge", bed.json()}}) {
    CHECK(FakeBed::wait(bed.launch(words, {}, "/dev/full")) == 2);
    CHECK(bed.err().starts_with(refusal));
  }
}

TEST_CASE("a file that outgrows its limit ends the run with its report, and whole samples in the file") {
  const FakeBed bed(40);
  bed.hold(1);
  const pid_t pid = bed.start({});
  REQUIRE(bed.waitUntilHeld(1, pid));
  const rlimit few{20'000, RLIM_INFINITY};
  prlimit(pid, RLIMIT_FSIZE, &few, nullptr);
  bed.release(1);
  CHECK(FakeBed::wait(pid) == 2);
  CHECK(bed.err() == "opbench: error: cannot write " + bed.json() + ": File too large\n");
  const size_t done = bed.statuses().size();
  CHECK(bed.out().find("opbench: " + std::to_string(done) + " sample") != std::string::npos);
  CHECK(bed.run() == 0);
  CHECK(bed.statuses() == allOk(40));
}

TEST_CASE("a task of a job array that is handed in once more, alone, does not race the whole sweep into its shard's file") {
  const FakeBed bed(8);
  const std::vector<std::string> first{"SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_TASK_COUNT=2", "SLURM_ARRAY_TASK_MIN=0"};
  const std::vector<std::string> alone{"SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_TASK_COUNT=1", "SLURM_ARRAY_TASK_MIN=1"};
  CHECK(bed.run({}, first) == 0);
  CHECK(bed.statuses().size() == 4);
  const std::string before = contentOf(bed.json());
  CHECK(bed.run({}, alone) == 2);
  CHECK(bed.err().find(bed.json() + ":1: cannot resume: shards differ (file: 2/2; now: 1/1)") != std::string::npos);
  CHECK(bed.run() == 2);
  CHECK(contentOf(bed.json()) == before);
  CHECK(bed.run({"--shard", "2/2"}, alone) == 0);
}

TEST_CASE("the tasks of a job array race a shard each, also where one is killed and requeued; merged they are the sweep") {
  const FakeBed bed(24);
  const auto variables = [](const char* task) {
    return std::vector<std::string>{std::string("SLURM_ARRAY_TASK_ID=") + task, "SLURM_ARRAY_TASK_COUNT=2",
                                    "SLURM_ARRAY_TASK_MIN=0"};
  };
  const auto output = [&](const char* name) {
    return std::vector<std::string>{"--device", "cpu", "--json", bed.folder.path / name};
  };
  // Some of its shard.
  for (int index = 12; index <= 24; ++index) bed.hold(index);
  const pid_t pid = bed.start(output("0.jsonl"), variables("0"));
  CHECK(waitForBytes(bed.folder.path / "0.jsonl", pid, 1));
  kill(pid, SIGKILL);
  CHECK(FakeBed::wait(pid) == -SIGKILL);
  for (int index = 12; index <= 24; ++index) bed.release(index);
  CHECK(bed.run(output("1.jsonl"), variables("1")) == 0);
  CHECK(bed.err() == "opbench: shard 2/2, as SLURM_ARRAY_TASK_ID says\n");
  CHECK(bed.run(output("0.jsonl"), variables("0")) == 0);
  CHECK(bed.program({"merge", bed.folder.path / "0.jsonl", bed.folder.path / "1.jsonl", "--json", bed.json()}) == 0);
  CHECK(bed.statuses() == allOk(24));
  CHECK(bed.out().find("opbench: 24 samples (24 generated)") != std::string::npos);
  CHECK(bed.program({"merge", bed.folder.path / "0.jsonl"}) == 1);
  CHECK(bed.err().find("12 of 24 samples are missing") != std::string::npos);
}
