// The program by itself, without libopbench.so beside it, and so without torch.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "opbench/text/version.h"
#include "tests/opbench/process.h"
#include "tests/opbench/temporary_folder.h"

namespace fs = std::filesystem;

namespace {

class Alone {
 public:
  Alone() {
    fs::copy_file(fs::read_symlink("/proc/self/exe").parent_path() / "opbench", folder_.path / "opbench");
    std::ofstream(folder_.path / "r.jsonl")
        << R"-({"op":"aten.neg.default","sample":"((T([8], f32),), {})","contender":"opbench","status":"ok",)-"
        << R"-("device":"cpu","dtype":"float32","median_us":2,"speedup":3})-"
        << "\n";
  }
  tests::Ended run(std::vector<std::string> words) const {
    words.insert(words.begin(), folder_.path / "opbench");
    return tests::runProgram(words, folder_.path);
  }
  std::string content(const std::string& file) const { return tests::contentOf(folder_.path / file); }

 private:
  tests::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("what prints the command line, or reads results, needs nothing but the program") {
  const Alone program;
  CHECK(program.run({"--version"}).out == opbench::versionText() + "\n");
  CHECK(program.run({"--help"}).out.starts_with("Race generated kernels"));
  CHECK(program.run({"man"}).out.starts_with(".TH OPBENCH 1"));
  CHECK(program.run({"completion", "bash"}).status == 0);
  CHECK(program.run({"show", "r.jsonl", "--columns", "speedup"}).out == "speedup\n      3\n");
  CHECK(program.run({"compare", "r.jsonl", "r.jsonl"}).out.starts_with("base"));
  CHECK(program.run({"convert", "r.jsonl", "--samples-csv", "r.csv"}).status == 0);
  CHECK(program.content("r.csv").find("aten.neg.default") != std::string::npos);
}

TEST_CASE("so does a command line that nobody can understand") {
  const tests::Ended ended = Alone().run({"--no-such-option"});
  CHECK(ended.status == 2);
  CHECK(ended.err.starts_with("opbench: error: unknown option '--no-such-option'"));
}

TEST_CASE("a race says which file it lacks") {
  const tests::Ended ended = Alone().run({"--op", "aten.neg"});
  CHECK(ended.status == 2);
  CHECK(ended.err.starts_with("opbench: error: "));
  CHECK(ended.err.find("libopbench.so: cannot open shared object file") != std::string::npos);
}
