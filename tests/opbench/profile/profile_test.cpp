#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "inputs/sample.h"
#include "opbench/cli/options.h"
#include "opbench/profile/report.h"
#include "opbench/profile/tools.h"
#include "opbench/verbs/profile.h"
#include "tests/cache_settings.h"
#include "tests/opbench/known_ceilings.h"
#include "tests/opbench/profile/trace.h"
#include "tests/opbench/program_bed.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;
using doctest::Approx;
using profile::Profile;

namespace {

namespace fs = std::filesystem;

std::vector<std::string> namesOf(const Profile& profile) {
  std::vector<std::string> names;
  for (const profile::Spent& spent : profile.spent) names.push_back(spent.name);
  return names;
}

/// Profiles samples on the CPU, in this process.
struct ProfileBed {
  ProfileBed() {
    options.device = "cpu";
    options.threads = 1;
    options.inProcess = true;
    options.cache = tests::cacheIn(folder.path);
    tests::putCeilings(options.cache);
    options.profiling.settings.folder = folder.path / "traces";
    options.profiling.settings.loops = 3;
    options.profiling.settings.sleepSeconds = 0;
  }
  bool run(const std::string& text) {
    return !hasFailed(
        profileSamples(inputs::parseFile(text, "f.txt", "f").samples, options, Streams{out, err}, [] { return false; }));
  }
  std::vector<std::string> traces() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path / "traces")) files.push_back(entry.path());
    return files;
  }

  tests::TemporaryFolder folder;
  Options options;
  std::ostringstream out, err;
};

}  // namespace

TEST_CASE("a kernel belongs to the contender and the run that launched it, whenever it ran") {
  tests::TraceFile file;
  file.range("contender eager", 0, 100).range("run", 10, 40).range("run", 50, 90);
  file.range("contender opbench", 200, 300).range("run", 210, 290);
  file.launch("cudaLaunchKernel", 11, 13, 1)
      .kernel("a", 15, 25, 1, {{"registers per thread", 40}, {"est. achieved occupancy %", 50}});
  file.launch("cudaLaunchKernel", 51, 53, 2).kernel("a", 55, 75, 2);
  file.launch("cudaGraphLaunch", 211, 214, 3)
      .kernel("b", 216, 220, 3)
      .kernel("c", 220, 226, 3)
      .copy("Memcpy DtoD", 226, 228, 3, 8000);
  const std::vector<Profile> profiles = profile::profilesOf(file.read());
  REQUIRE(profiles.size() == 2);
  CHECK(profiles[0].contender == "eager");
  CHECK(profiles[0].runs == 2);
  CHECK(profiles[0].kernelSeconds == Approx(30e-6));
  REQUIRE(profiles[0].spent.size() == 1);
  CHECK(profiles[0].spent[0].calls == 2);
  CHECK(profiles[0].spent[0].registers == 40);
  CHECK(profiles[0].spent[0].occupancy.value() == Approx(0.5));
  CHECK(namesOf(profiles[1]) == std::vector<std::string>{"c", "b", "Memcpy DtoD"});
  CHECK(profiles[1].spent[2].bytesPerSecond.value() == Approx(8000 / 2e-6));
}

TEST_CASE("kernels of a plan are named after its groups, whose names the trace has by symbol") {
  tests::TraceFile file;
  file.launch("cudaGraphLaunch", 1, 2, 3).kernel("add_gelu_12345678", 3, 4, 3).kernel("sgemm", 4, 9, 3);
  file.fact("kernels", {{"add_gelu_12345678", "group 7: add+gelu"}});
  CHECK(namesOf(profile::profilesOf(file.read()).at(0)) == std::vector<std::string>{"sgemm", "group 7: add+gelu"});
}

TEST_CASE("an idle GPU waits for the host, for a host that waited for it, for a launch to begin, or for the end of the run") {
  tests::TraceFile file;
  file.range("contender c", 0, 100).range("run", 0, 100);
  file.launch("cudaLaunchKernel", 0, 5, 1).kernel("first", 8, 20, 1);      // 5 for the host, 3 until it began
  file.launch("cudaStreamSynchronize", 6, 22, 9);                          // until after the first kernel's end
  file.launch("cudaLaunchKernel", 24, 30, 2).kernel("second", 31, 40, 2);  // 10 by the synchronisation, 1 until it began
  file.launch("cudaLaunchKernel", 32, 33, 3).kernel("third", 41, 60, 3);   // launched in time: 1
  file.launch("cudaLaunchKernel", 61, 70, 4).kernel("fourth", 70, 90, 4);  // 10 for the host
  const profile::Idle idle = profile::profilesOf(file.read()).at(0).idle;
  CHECK(idle.host == Approx(15e-6));
  CHECK(idle.synchronisation == Approx(10e-6));
  CHECK(idle.latency == Approx(5e-6));
  CHECK(idle.end == Approx(10e-6));
  CHECK(idle.sum() == Approx(40e-6));
}

TEST_CASE("on a CPU a call's time is without that of the calls that it makes") {
  tests::TraceFile file;
  file.range("contender c", 0, 100).range("run", 0, 100);
  file.call("outer", 10, 60).call("inner", 20, 30).call("inner", 30, 35).call("elsewhere", 15, 50, 2).call("after", 60, 70);
  const Profile c = profile::profilesOf(file.read()).at(0);
  CHECK_FALSE(c.isOnGpu);
  CHECK(namesOf(c) == std::vector<std::string>{"elsewhere", "outer", "inner", "after"});
  CHECK(c.spent[1].seconds == Approx(35e-6));
  CHECK(c.spent[2].calls == 2);
  CHECK(c.kernelSeconds == Approx(95e-6));
}

TEST_CASE("a trace of another program is one run") {
  tests::TraceFile file;
  file.launch("cudaLaunchKernel", 1, 2, 1).kernel("k", 3, 8, 1);
  const std::vector<Profile> profiles = profile::profilesOf(file.read());
  REQUIRE(profiles.size() == 1);
  CHECK(profiles[0].runs == 1);
  CHECK(profiles[0].kernelSeconds == Approx(5e-6));
}

TEST_CASE("what is no trace is refused in one line") {
  const tests::TemporaryFolder folder;
  for (const char* text : {"", "{", "[]", "{\"traceEvents\": 3}", "{\"a\": []}"}) {
    const std::string path = folder.path / "t.json";
    std::ofstream(path) << text;
    CHECK_THROWS_WITH_AS(profile::readTrace(path), (path + " is no trace: it has no list of traceEvents").c_str(), ir::Error);
  }
  std::ofstream(folder.path / "odd.json")
      << R"({"traceEvents": [3, {"ph": "X"}, {"ph": "X", "cat": "kernel", "ts": "x", "dur": 1}]})";
  CHECK(profile::profilesOf(profile::readTrace(folder.path / "odd.json")).empty());
}

TEST_CASE("the report names kernels without their templates and parameters; foreign text does no harm") {
  tests::TraceFile file;
  file.fact("op", "aten.add.Tensor").fact("sample", "f16[3]\x1b[2J").fact("bytes", 12000).fact("bytes_per_s", 4e9);
  file.range("contender eager", 0, 100).range("run", 0, 100).launch("cudaLaunchKernel", 1, 2, 1);
  file.kernel("void at::native::(anonymous namespace)::add_kernel<int, f<3> >(int, float*)", 4, 7, 1);
  const std::string text = profile::report(file.read(), {});
  CHECK(text.find("aten.add.Tensor f16[3]?[2J\n") == 0);
  CHECK(text.find("\nat::native::add_kernel<>  ") != std::string::npos);
  CAPTURE(text);
  CHECK(text.find("eager: 1 run of 100.00 us, kernels 3.00 us, 4.0 GB/s, 100% of a copy's\n") != std::string::npos);
}

TEST_CASE("what moved between two traces comes with the largest change first") {
  tests::TraceFile before, after;
  for (auto* file : {&before, &after}) file->range("contender c", 0, 100).range("run", 0, 100);
  before.call("same", 1, 11).call("slower", 20, 30).call("gone", 40, 43);
  after.call("same", 1, 11).call("slower", 20, 45).call("new", 50, 51);
  const std::string text = profile::reportMoves(before.read(), after.read(), {});
  const auto slower = text.find("c: slower       10.00 us  25.00 us  +15.00 us    2.50");
  CAPTURE(text);
  CHECK(slower != std::string::npos);
  CHECK(text.find("c: gone          3.00 us         -   -3.00 us       -") > slower);
  CHECK(text.ends_with("a run: 23.00 us before, 36.00 us after\n"));
}

TEST_CASE("a sample is profiled on a CPU: calls of ATen and generated kernels, in a trace that can be read again") {
  ProfileBed bed;
  CHECK(bed.run("Operator: aten.add.Tensor\ncnt: 1, ((T([64, 64], f32), T([64, 64], f32)), {})\n"));
  REQUIRE(bed.traces().size() == 1);
  const std::vector<Profile> profiles = profile::profilesOf(profile::readTrace(bed.traces()[0]));
  REQUIRE(profiles.size() == 2);
  CHECK(profiles[0].contender == "eager");
  CHECK(profiles[1].contender == "opbench");
  for (const Profile& profile : profiles) {
    CHECK(profile.runs == 3);
    CHECK(profile.kernelSeconds > 0);
    CHECK(profile.kernelSeconds <= profile.seconds);
  }
  CHECK(profiles[0].spent[0].name == "aten::add");
  CHECK(profiles[1].spent[0].name == "aten_add_Tensor");
  CHECK(profiles[1].spent[0].calls == 3);
  CHECK(bed.out.str().find("opbench: 3 runs of ") != std::string::npos);
}

TEST_CASE("a plan's launches are named after their groups, and library calls after their operators") {
  ProfileBed bed;
  bed.options.contenders = {runtime::Contender("aten"), runtime::Contender::Opbench};
  CHECK(bed.run("Operator: rnn.lstm.inference\ncnt: 1, ((T([2, 3, 4], f32),), {'hidden': 6})\n"));
  REQUIRE(bed.traces().size() == 1);
  const profile::Trace trace = profile::readTrace(bed.traces()[0]);
  const std::vector<Profile> profiles = profile::profilesOf(trace);
  REQUIRE(profiles.size() == 2);
  const std::vector<std::string> names = namesOf(profiles[1]);
  const auto has = [&](std::string_view start) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return name.starts_with(start); });
  };
  CHECK(has("group 1: "));
  CHECK(has("aten::addmm"));
}

TEST_CASE("a contender that is wrong is not profiled") {
  ProfileBed bed;
  bed.options.fault = Fault::Zeros;
  CHECK_FALSE(bed.run("Operator: aten.add.Tensor\ncnt: 1, ((T([64, 64], f32), T([64, 64], f32)), {})\n"));
  CHECK(profile::profilesOf(profile::readTrace(bed.traces().at(0))).size() == 1);
}

TEST_CASE("traces are named after operators, of which no character reaches another folder") {
  ProfileSettings settings;
  settings.folder = "out";
  settings.date = "112526-0415";
  CHECK(traceFile(settings, "aten.add.Tensor", 3) == "out/prof_add.Tensor-3_112526-0415.json");
  CHECK(traceFile(settings, "model.../x y'$(z).training", 1) == "out/prof_model..._x_y___z_.training-1_112526-0415.json");
}

TEST_CASE("traces of networks are named as fastrnns names them") {
  ProfileSettings settings;
  settings.folder = "out";
  settings.date = "112526-0415";
  settings.label = "cudnn-aten_s100-l1-i512-h512-b64";
  CHECK(traceFile(settings, "rnn.lstm.training", 1) == "out/prof_cudnn-aten_s100-l1-i512-h512-b64_112526-0415.json");
  CHECK(traceFile(settings, "rnn.gru.training", 2) == "out/prof_cudnn-aten_s100-l1-i512-h512-b64-2_112526-0415.json");
}

TEST_CASE("settings come back from what a worker is told") {
  const ProfileSettings settings{"l", "a b", "d", 7, 0.5, false};
  const ProfileSettings read = profileSettingsFrom(toText(settings));
  CHECK(read.folder == "a b");
  CHECK(read.loops == 7);
  CHECK(read.sleepSeconds == 0.5);
  CHECK_FALSE(read.traces);
  CHECK_THROWS_AS(profileSettingsFrom("x"), ir::Error);
}

TEST_CASE("other profilers get words, not a shell's line") {
  const std::vector<std::string> words = profile::underTool("ncu", "out/p", {"opbench", "--op", "a'b $(touch x)"});
  CHECK(words.front() == "ncu");
  CHECK(words.back() == "a'b $(touch x)");
  CHECK(profile::runWords({"sh", "-c", "exit 3"}) == 3);
  CHECK_FALSE(profile::runWords({"no-such-program-of-this-name"}));
}

TEST_CASE("a profiler that is installed is given a program that it can start") {
  const tests::ProgramBed bed(1);
  std::ofstream(bed.folder.path / "nsys") << "#!/bin/sh\nwhile [ $1 != -o ]; do shift; done\nexec $3 --version\n";
  fs::permissions(bed.folder.path / "nsys", fs::perms::owner_all);
  const std::string path = "PATH=" + bed.folder.path.string() + ":" + std::getenv("PATH");
  const std::vector<std::string> words{"profile",  "--with", "nsys",     "--op",         "add",
                                       "--device", "cpu",    "--output", bed.folder.path};
  CHECK(tests::ProgramBed::wait(bed.launch(words, {path})) == 0);
  CHECK(bed.out().find("\nopbench 0.") != std::string::npos);
}

TEST_CASE("a sanitizer gets the words of the run, and its verdict is the exit status") {
  CHECK(profile::underSanitizer("memcheck", {"opbench", "--op", "add"}) ==
        std::vector<std::string>{"compute-sanitizer", "--tool=memcheck", "--error-exitcode=1", "opbench", "--op", "add"});
  CHECK(parseOptions({"--op", "add", "--sanitize", "racecheck"}, {}).sanitizer == "racecheck");
  CHECK_THROWS_WITH_AS(parseOptions({"--op", "add", "--sanitize", "valgrind"}, {}),
                       "--sanitize must be one of memcheck, racecheck, initcheck, synccheck, got 'valgrind'", ir::Error);
}

TEST_CASE("the verb profiles samples that are named, else fastrnns' three networks") {
  const auto parsed = [](std::vector<std::string> words) {
    words.insert(words.begin(), "profile");
    return parseOptions(words, {});
  };
  const Options samples = parsed({"--op", "add", "--nloops", "7"});
  CHECK(samples.source == Source::Files);
  CHECK(samples.maxSamples == 1);
  CHECK(samples.profiling.settings.loops == 7);
  CHECK(parsed({"--op", "add", "--max-samples", "3"}).maxSamples == 3);
  const Options networks = parsed({"--seqLength", "5", "--sleep_between_seconds", "0"});
  CHECK(networks.source == Source::Rnn);
  CHECK(networks.profiling.settings.label == "cudnn-aten-jit_s5-l1-i512-h512-b64");
  const auto refusal = [&](const std::vector<std::string>& words) -> std::string {
    try {
      parsed(words);
    } catch (const ir::Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal({"--nloops", "0"}) == "--nloops must be at least 1, got 0");
  CHECK(refusal({"--with", "gdb"}) == "--with must be one of ncu, nsys, got 'gdb'");
  CHECK(refusal({"--sleep-between-seconds", "-1"}) == "--sleep-between-seconds must be from 0 to 3600, got -1");
  CHECK(refusal({"--internal-run"}) == "profile: --internal-run is fastrnns' own; no other program is run here");
}
