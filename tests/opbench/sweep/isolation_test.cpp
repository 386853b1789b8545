// The program itself, whose workers are made to crash, hang and ask for too much.
#include <doctest/doctest.h>

#include <sys/resource.h>

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
  const Bed bed(12);
  CHECK(bed.run({"--timeout", patience(), "--fault", "segfault@2,abort@4,assert@5,hang@7,huge-allocation@9,abort@12"}) == 1);
  std::map<int, std::string> expected = allOk(12);
  expected[2] = expected[4] = expected[12] = "crash";
  expected[5] = "assert";
  expected[7] = "timeout";
  expected[9] = "oom";
  CHECK(bed.statuses() == expected);
  CHECK(bed.reasonOf(2) == "signal 11 (Segmentation fault)");
  CHECK(bed.reasonOf(5).find("Assertion `false' failed") != std::string::npos);
  CHECK(bed.reasonOf(7) == "timed out after " + patience() + " s");
  CHECK(bed.out().find("opbench: 12 samples (6 generated, 3 crashes, 1 assert, 1 timeout, 1 oom)") != std::string::npos);
}

TEST_CASE("a sample that writes without end, or garbles its worker's answer, costs itself alone") {
  const Bed bed(6);
  CHECK(bed.run({"--fault", "flood@2,babble@4"}) == 1);
  std::map<int, std::string> expected = allOk(6);
  expected[2] = expected[4] = "crash";
  CHECK(bed.statuses() == expected);
  CHECK(bed.reasonOf(2).starts_with("wrote too much to standard output or error; its last output:\nxxx"));
  CHECK(bed.reasonOf(4) == "worker sent an unreadable reply");
}

TEST_CASE("a worker that the system does not let go of costs its sample, and another one goes on") {
  const Bed bed(4);
  CHECK(bed.run({"--timeout", patience(), "--fault", "undead@2"}) == 1);
  std::map<int, std::string> expected = allOk(4);
  expected[2] = "timeout";
  CHECK(bed.statuses() == expected);
  CHECK(bed.err().find(" cannot be killed; it is abandoned\n") != std::string::npos);
}

TEST_CASE("a worker that stops at its start is replaced; where all of them do, the run ends and says so") {
  const Bed bed(3);
  const std::vector<std::string> briefly{"--start-timeout", patience(), "--compilers", "0"};
  const pid_t once = bed.start(briefly);
  stopWorker(once);
  CHECK(Bed::wait(once) == 0);
  CHECK(bed.statuses() == allOk(3));

  fs::remove(bed.json());
  const pid_t always = bed.start({"--start-timeout", "1", "--compilers", "0"});
  stopWorker(always, stopWorker(always));
  CHECK(Bed::wait(always) == 1);
  CHECK(bed.err() == "opbench: error: worker startup timed out after 1 s\n");
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

TEST_CASE("a compiler that crashes or hangs costs that compilation, and the sample is raced all the same") {
  const Bed bed(12);
  CHECK(bed.run({"--compilers", "2", "--timeout", patience(), "--fault", "compiler-abort@3,compiler-hang@7"}) == 0);
  CHECK(bed.statuses() == allOk(12));
  std::map<int, std::string> expected = all(12, "precompiled");
  expected[3] = "signal 6 (Aborted)";
  expected[7] = "timed out after " + patience() + " s";
  CHECK(bed.compilations() == expected);
}

TEST_CASE("what crashes whoever touches it is reported as it is where it is raced") {
  const Bed bed(6);
  CHECK(bed.run({"--compilers", "1", "--fault", "segfault@1,segfault@2,segfault@3,segfault@4"}) == 1);
  std::map<int, std::string> expected = allOk(6);
  for (int i = 1; i <= 4; ++i) expected[i] = "crash";
  CHECK(bed.statuses() == expected);
  CHECK(bed.err().find("falling back to compiling in the worker") != std::string::npos);
}

TEST_CASE("in this process a sample that crashes is the end of the run") {
  const Bed bed(3);
  CHECK(bed.run({"--in-process", "--fault", "abort@2"}) == -SIGABRT);
  CHECK(bed.statuses() == std::map<int, std::string>{{1, "ok"}});
}

TEST_CASE("a worker that is killed from outside is replaced, and its sample raced again, which its row says") {
  const Bed bed(60);
  const pid_t pid = bed.start({});
  for (size_t bytes = 1; bytes < 60000 && waitForBytes(bed.json(), pid, bytes); bytes += 30000)
    for (const pid_t worker : childrenOf(pid)) kill(worker, SIGKILL);
  CHECK(Bed::wait(pid) == 0);
  CHECK(bed.statuses() == allOk(60));
  CHECK(contentOf(bed.json()).find("\"retried\":\"crash: signal 9 (Killed)\"") != std::string::npos);
  const std::string recovered = " samples passed on the second try\n";
  const std::string report = bed.out();
  CHECK(report.find("    passed on the second try, after crash: signal 9 (Killed)\n") != std::string::npos);
  CHECK(report.find(" of 60" + recovered) != std::string::npos);
  CHECK(bed.run() == 0);
  CHECK(bed.out().find(" of 60" + recovered) != std::string::npos);
}

TEST_CASE("a contender that is too fast is raced again, by a fresh process, before its row is written") {
  const Bed bed(0);
  std::ofstream(bed.folder.path / "samples.txt") << "Operator: aten._softmax.default\n"
                                                    "cnt: 1, ((T([1024, 1024], f32), -1, False), {})\n";
  bed.run({"--fault", "stale-output", "--no-accuracy-checking"});
  CHECK(bed.statuses().size() == 1);
  CHECK(contentOf(bed.json()).find("\"remeasured\":\"opbench ") != std::string::npos);
  CHECK(bed.out().find("measured again by a fresh process, as at first opbench ") != std::string::npos);
}

TEST_CASE("Ctrl-C, a scheduler's SIGTERM and a closed terminal finish the sample at hand and report; no worker is left") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    const Bed bed(400);
    const pid_t pid = bed.start({});
    waitForBytes(bed.json(), pid, 1);
    const std::vector<pid_t> workers = childrenOf(pid);
    CHECK(workers.size() >= 1);
    // Schedulers tell every process of a job.
    for (const pid_t worker : workers) kill(worker, signal);
    kill(pid, signal);
    CHECK(Bed::wait(pid) == 128 + signal);
    const size_t done = bed.statuses().size();
    CHECK(done >= 1);
    CHECK(done < 400);
    CHECK(bed.out().find("opbench: " + std::to_string(done) + " sample") != std::string::npos);
    CHECK(contentOf(bed.json()).find("\"retried\":\"") == std::string::npos);
    for (const pid_t worker : workers) CHECK(kill(worker, 0) != 0);
  }
}

TEST_CASE("a signal that the program was started to ignore, as by nohup, does not end it") {
  const Bed bed(40);
  const auto before = std::signal(SIGHUP, SIG_IGN);
  const pid_t pid = bed.start({});
  std::signal(SIGHUP, before);
  waitForBytes(bed.json(), pid, 1);
  kill(pid, SIGHUP);
  CHECK(Bed::wait(pid) == 0);
  CHECK(bed.statuses() == allOk(40));
}

TEST_CASE("a report that cannot be written is an error, of a race and of what else is printed") {
  const Bed bed(1);
  const std::string refusal = "opbench: error: cannot write to standard output";
  CHECK(bed.run() == 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--help"}, {"compare", bed.json(), bed.json()}, {"merge", bed.json()}}) {
    CHECK(Bed::wait(bed.launch(words, {}, "/dev/full")) == 2);
    CHECK(bed.err().starts_with(refusal));
  }
}

TEST_CASE("a file that outgrows its limit ends the run with its report, and whole samples in the file") {
  const Bed bed(40);
  const pid_t pid = bed.start({});
  const rlimit few{20'000, RLIM_INFINITY};
  prlimit(pid, RLIMIT_FSIZE, &few, nullptr);
  CHECK(Bed::wait(pid) == 2);
  CHECK(bed.err() == "opbench: error: cannot write " + bed.json() + ": File too large\n");
  const size_t done = bed.statuses().size();
  CHECK(bed.out().find("opbench: " + std::to_string(done) + " sample") != std::string::npos);
  CHECK(bed.run() == 0);
  CHECK(bed.statuses() == allOk(40));
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

TEST_CASE("a task of a job array that is handed in once more, alone, does not race the whole sweep into its shard's file") {
  const Bed bed(8);
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
  const Bed bed(24);
  const auto variables = [](const char* task) {
    return std::vector<std::string>{std::string("SLURM_ARRAY_TASK_ID=") + task, "SLURM_ARRAY_TASK_COUNT=2",
                                    "SLURM_ARRAY_TASK_MIN=0"};
  };
  const auto output = [&](const char* name) {
    return std::vector<std::string>{"--device", "cpu", "--json", bed.folder.path / name};
  };
  const pid_t pid = bed.start(output("0.jsonl"), variables("0"));
  waitForBytes(bed.folder.path / "0.jsonl", pid, 8000);
  kill(pid, SIGKILL);
  Bed::wait(pid);
  CHECK(bed.run(output("1.jsonl"), variables("1")) == 0);
  CHECK(bed.err() == "opbench: shard 2/2, as SLURM_ARRAY_TASK_ID says\n");
  CHECK(bed.run(output("0.jsonl"), variables("0")) == 0);
  CHECK(bed.program({"merge", bed.folder.path / "0.jsonl", bed.folder.path / "1.jsonl", "--json", bed.json()}) == 0);
  CHECK(bed.statuses() == allOk(24));
  CHECK(bed.out().find("opbench: 24 samples (24 generated)") != std::string::npos);
  CHECK(bed.program({"merge", bed.folder.path / "0.jsonl"}) == 1);
  CHECK(bed.err().find("12 of 24 samples are missing") != std::string::npos);
}
