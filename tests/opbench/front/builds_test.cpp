// `opbench compare --run`: two builds, which are scripts here, or this build twice.
#include "opbench/front/builds.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/opbench/program_bed.h"

namespace fs = std::filesystem;

namespace {

/// Makes programs that stand for builds, and compares them.
struct Builds : tests::ProgramBed {
  Builds() : ProgramBed(1) {}

  std::string at(const std::string& name) const { return folder.path / name; }

  /// A script of the shell. `$json` is the file that the run has to write.
  std::string script(const std::string& name, const std::string& text) const {
    const std::string file = at(name);
    std::ofstream(file) << "#!/bin/sh\nwhile [ \"$1\" != --json ]; do shift; done\njson=$2\n" << text << "\n";
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }

  /// A build whose opbench takes so long, and eager thrice as long. It notes that it was run.
  std::string build(const std::string& name, double microseconds) const {
    constexpr std::string_view line =
        R"-({{"op":"aten.neg.default","sample":"((T([8], f32),), {{}})","contender":"{}","status":"ok","device":"cpu",)-"
        R"-("dtype":"float32","median_us":{},"median_ci_us":[{},{}],"speedup":{}}})-";
    const double eager = 30;
    std::string lines = fmt::format(line, "eager", eager, eager - 0.01, eager + 0.01, 1);
    lines += "\n" + fmt::format(line, "opbench", microseconds, microseconds - 0.01, microseconds + 0.01, eager / microseconds);
    return script(name, fmt::format("echo {} >>{}\ncat >\"$json\" <<'TEXT'\n{}\nTEXT", name, at("log"), lines));
  }

  int compare(std::vector<std::string> words) const {
    words.insert(words.begin(), {"compare", "--run"});
    return program(words);
  }
  std::string log() const { return tests::contentOf(folder.path / "log"); }
};

std::string thisBuild() { return fs::read_symlink("/proc/self/exe").parent_path() / "opbench"; }

}  // namespace

TEST_CASE("builds are run in turn, and each goes first in every other pair") {
  const Builds bed;
  CHECK(bed.compare({bed.build("a", 10), bed.build("b", 10), "--repeats", "3", "--keep", bed.at("kept"), "--all"}) == 0);
  CHECK(bed.log() == "a\nb\nb\na\na\nb\n");
  CHECK(bed.out().find(" same ") != std::string::npos);
  CHECK(bed.out().starts_with(fmt::format("baseline  {} (3 runs): ", bed.at("a"))));
  CHECK(bed.err().find(fmt::format("opbench: run 3 of 6 (candidate {})\n", bed.at("b"))) != std::string::npos);
  CHECK(std::distance(fs::directory_iterator(bed.at("kept")), {}) == 6);
  CHECK(fs::exists(bed.folder.path / "kept/candidate-3.jsonl"));
}

TEST_CASE("a slower build fails the comparison") {
  const Builds bed;
  CHECK(bed.compare({bed.build("a", 10), bed.build("b", 14), "--quiet"}) == 1);
  CHECK(bed.log().size() == 20);
  CHECK(bed.out().find("SLOW") != std::string::npos);
  CHECK(bed.err().empty());
}

TEST_CASE("a run that fails is named, with the words that it ended with, and ends the comparison") {
  const Builds bed;
  const std::string good = bed.build("good", 10);
  const auto refusal = [&](const std::string& text) {
    CHECK(bed.compare({good, bed.script("bad", text), "--repeats", "2", "--quiet"}) == 2);
    return bed.err();
  };
  const std::string run = fmt::format("opbench: error: run 2 of 4 (candidate {}) ", bed.at("bad"));
  CHECK(refusal("echo 'no such device' >&2; exit 3") == run + "failed: exit status 3; its last output:\nno such device\n");
  CHECK(refusal("cat " + good + " >/dev/null; exit 1") == run + "failed: exit status 1\n");
  CHECK(refusal("kill -9 $$") == run + "failed: signal 9 (Killed)\n");
  CHECK(refusal("echo done").starts_with(run + "left no results: cannot read "));
  CHECK(refusal("echo rubbish >\"$json\"").starts_with(run + "left no results: "));
  CHECK(refusal(fmt::format("{} --json \"$json\"; exit 1", good)) == run + "failed: exit status 1\n");
  CHECK(refusal("sed s/ok/wrong/ " + good + " | sh -s -- --json \"$json\"; exit 2") == run + "failed: exit status 2\n");
  CHECK(bed.log() == std::string("good\n") + "good\ngood\ngood\ngood\ngood\ngood\ngood\ngood\n");
}

TEST_CASE("a wrong result ends a run with status 1, and is compared") {
  const Builds bed;
  const std::string good = bed.build("good", 10);
  const std::string wrong =
      bed.script("wrong", fmt::format("{} --json \"$json\"; sed -i '2s/\"ok\"/\"wrong\"/' \"$json\"; exit 1", good));
  CHECK(bed.compare({good, wrong, "--repeats", "1"}) == 1);
  CHECK(bed.out().find("WRONG") != std::string::npos);
}

TEST_CASE("programs that are not there, or are none, are refused before any run") {
  const Builds bed;
  const std::string good = bed.build("good", 10);
  const auto refusal = [&](const std::string& other) {
    CHECK(bed.compare({good, other}) == 2);
    return bed.err();
  };
  CHECK(refusal(bed.at("none")) ==
        fmt::format("opbench: error: --run: {} cannot be run: No such file or directory\n", bed.at("none")));
  std::ofstream(bed.at("text")) << "text\n";
  CHECK(refusal(bed.at("text")) == fmt::format("opbench: error: --run: {} cannot be run: Permission denied\n", bed.at("text")));
  CHECK(refusal(bed.folder.path) ==
        fmt::format("opbench: error: --run: {} cannot be run: it is a folder\n", bed.folder.path.string()));
  CHECK(refusal("no-such-program") ==
        "opbench: error: --run: PATH has no program 'no-such-program'; a file is named as in ./no-such-program\n");
  CHECK(bed.compare({good, good, "--keep", bed.folder.path}) == 2);
  CHECK(bed.err() == fmt::format("opbench: error: --keep: {} is not empty\n", bed.folder.path.string()));
  CHECK(bed.compare({good, good, "--html", bed.at("no/folder.html")}) == 2);
  CHECK(bed.log().empty());
}

TEST_CASE("builds that are not comparable are refused after a run of each") {
  const Builds bed;
  const std::string good = bed.build("good", 10);
  const std::string other = bed.script("other", fmt::format("{} --json \"$json\"; sed -i s/float32/float16/ \"$json\"", good));
  CHECK(bed.compare({good, other}) == 2);
  CHECK(bed.err().find(fmt::format("opbench: error: {} and {} are not comparable: ", good, other)) != std::string::npos);
  CHECK(bed.log() == "good\ngood\n");
}

TEST_CASE("Ctrl-C ends the comparison and the run at hand") {
  const Builds bed;
  const std::string endless = bed.script("endless", fmt::format("echo $$ >>{}\nexec sleep 1000", bed.at("log")));
  const pid_t compare = bed.launch({"compare", "--run", endless, endless}, {});
  while (bed.log().empty() && !tests::hasEnded(compare)) tests::sleepFor(5);
  const std::vector<pid_t> children = tests::childrenOf(compare);
  REQUIRE(children.size() == 1);
  kill(compare, SIGINT);
  CHECK(tests::ProgramBed::wait(compare) == 128 + SIGINT);
  CHECK(kill(children.front(), 0) == -1);
}

TEST_CASE("this build is compared with itself") {
  const Builds bed;
  const std::vector<std::string> race{
      "--inp-file", bed.at("samples.txt"),      "--device",    "cpu", "--threads", "1", "--max-time", "0.001",
      "--cache",    bed.cacheSettings().folder, "--compilers", "0"};
  std::vector<std::string> words{thisBuild(), thisBuild(), "--repeats", "2", "--all", "--fail-on", "none"};
  words.insert(words.end(), race.begin(), race.end());
  CHECK_MESSAGE(bed.compare(words) == 0, bed.err());
  CHECK(bed.out().starts_with(fmt::format("baseline  {} (2 runs): ", thisBuild())));
  CHECK(bed.out().find("\n1 sample: ") != std::string::npos);
}
