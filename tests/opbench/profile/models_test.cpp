#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "opbench/cli/options.h"
#include "opbench/profile/summary.h"
#include "tests/opbench/program_bed.h"
#include "tests/refusal.h"

using namespace opbench;

namespace {

using Words = std::vector<std::string>;

Options parsed(Words words) {
  words.insert(words.begin(), {"profile", "model"});
  return parseOptions(words, {});
}

std::string refusal(const Words& words) {
  return tests::refusal(ir::ErrorKind::Input, [&] { parsed(words); });
}

/// The traces in a folder.
std::vector<std::string> tracesIn(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

}  // namespace

TEST_SUITE("models") {
  TEST_CASE("profile model takes the options of model and of profile, in any order") {
    const Options options = parsed({"alexnet", "--nloops", "7", "--training", "--batch-size", "2,3", "--output", "traces",
                                    "--amp", "bfloat16", "--repeat", "1", "--contenders", "eager,opbench", "vgg16"});
    CHECK(options.verb == Verb::Profile);
    CHECK(options.source == Source::Models);
    CHECK(options.model.models == Words{"alexnet", "vgg16"});
    CHECK(options.model.isTraining);
    CHECK(options.model.batchSizes == std::vector<int64_t>{2, 3});
    CHECK(options.model.amp == "bfloat16");
    CHECK(options.profiling.settings.loops == 7);
    CHECK(options.profiling.settings.folder == "traces");
    CHECK(options.profiling.settings.label.empty());
    CHECK(options.model.runner.output.empty());
    CHECK((options.contenders == std::vector{Contender::Eager, Contender::Opbench}));
    const Options before = parseOptions({"profile", "--nloops", "3", "--output=out", "model", "alexnet", "--no-cuda"}, {});
    CHECK(before.profiling.settings.loops == 3);
    CHECK(before.profiling.settings.folder == "out");
    CHECK(before.device == "cpu");
    CHECK((before.contenders == std::vector{Contender::Eager, Contender::Opbench}));
    CHECK(parsed({"alexnet", "--with", "nsys"}).profiling.tool == "nsys");
  }

  TEST_CASE("profile model has no runner, and profiles models alone") {
    for (const Words& words : {Words{"--accuracy"},
                               {"--performance"},
                               {"--inference"},
                               {"--only", "a"},
                               {"--exclude-exact", "a"},
                               {"--batch-size-file", "f"},
                               {"--filter", "a"},
                               {"--exclude", "a"},
                               {"--dashboard", "f"}})
      CHECK(refusal(words) ==
            "profile: " + words[0] + " is of torchbench's runner, which opbench model has and opbench profile has not");
    for (const Words& words : {Words{"--op", "add"}, {"--inp-file", "f"}, {"--suite", "timm"}, {"--rnns", "aten"}})
      CHECK(refusal(words) == "profile: " + words[0] + " and the command model both say what is profiled");
    CHECK(refusal({"alexnet", "rnn"}) ==
          "profile: cannot be combined with the command 'rnn'; opbench profile model NAME profiles models");
    CHECK(refusal({"alexnet", "--nloop", "2"}) ==
          "unknown option '--nloop'; did you mean --nloops? (opbench profile model --help lists the options)");
  }

  TEST_CASE("a model is profiled by the program: a trace and a table for each contender, with the time by kind") {
    const tests::ProgramBed bed(1);
    const std::string traces = bed.folder.path / "traces";
    CHECK(bed.program({"profile", "model", "squeezenet1_1", "--batch-size", "1", "--device", "cpu", "--threads", "1", "--nloops",
                       "2", "--sleep-between-seconds", "0", "--output", traces, "--cache", bed.cacheSettings().folder}) == 0);
    const std::vector<std::string> files = tracesIn(traces);
    REQUIRE(files.size() == 1);
    CHECK(files[0].find("/prof_model.squeezenet1_1.inference-1_") != std::string::npos);
    const std::vector<profile::Profile> profiles = profile::profilesOf(profile::readTrace(files[0]));
    REQUIRE(profiles.size() == 2);
    CHECK(profiles[0].contender == "eager");
    CHECK(profiles[1].contender == "opbench");
    for (const profile::Profile& profile : profiles) CHECK(profile.runs == 2);
    const std::string out = bed.out();
    CAPTURE(out);
    const size_t second = out.find("\nopbench: 2 runs of ");
    CHECK(out.find("\neager: 2 runs of ") < second);
    CHECK(out.find("by kind: ") < second);
    CHECK(out.find("convolutions ") < second);
    CHECK(out.find(" generated ", second) != std::string::npos);
  }
}
