#include "opbench/cli/help/completion.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "opbench/cli/options.h"
#include "opbench/settings/arguments.h"
#include "opbench/settings/options.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"

using namespace opbench;

namespace {

std::string printed(const std::vector<std::string>& arguments) { return parseOptions(arguments, {}).text; }

bool has(const std::string& program) { return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0; }

/// Bash, with the script loaded, in a folder with the file `out.jsonl` and the folder `dump`.
class Bash {
 public:
  Bash() {
    std::ofstream(folder_.path / "script") << printed({"completion", "bash"});
    std::ofstream(folder_.path / "out.jsonl") << "";
    std::filesystem::create_directory(folder_.path / "dump");
  }

  /// What completes the last of these words, with blanks between.
  std::string completes(const std::vector<std::string>& words) const {
    const std::string script = fmt::format(
        "cd {} && . ./script && complete -p opbench >/dev/null && COMP_WORDS=(opbench {}) COMP_CWORD={} && _opbench && "
        "echo \"${{COMPREPLY[*]}}\" >answer",
        folder_.path.string(), quoted(words), words.size());
    REQUIRE(std::system(("bash -euc " + quoted(script)).c_str()) == 0);
    std::string answer = tests::contentOf(folder_.path / "answer");
    if (!answer.empty()) answer.pop_back();
    return answer;
  }

 private:
  tests::TemporaryFolder folder_;
};

int syntaxStatus(const std::string& shell) {
  const tests::TemporaryFolder folder;
  std::ofstream(folder.path / "script") << printed({"completion", shell});
  return std::system(fmt::format("{} -n {}", shell, (folder.path / "script").string()).c_str());
}

}  // namespace

TEST_CASE("bash completes commands, options of a race, and those of a command") {
  const Bash bash;
  CHECK(bash.completes({"comp"}) == "compare completion");
  CHECK(bash.completes({"--dt"}) == "--dtype");
  CHECK(bash.completes({"compare", "--ke"}) == "--keep --kernel --kernel-time");
  CHECK(bash.completes({"convert", "--dt"}) == "");
  CHECK(bash.completes({"compare", "--dt"}) == "--dtype");
  CHECK(bash.completes({"rnn", "--seq"}) == "--seqLength");
  CHECK(bash.completes({"rnn", "--dt"}) == "--dtype");
  CHECK(bash.completes({"profile", "m"}) == "model");
  CHECK(bash.completes({"profile", "model", "--opt"}) == "--optimizer --optimizer-form");
  CHECK(bash.completes({"profile", "model", "--sl"}) == "--sleep-between-seconds --slow");
  CHECK(bash.completes({"--work"}) == "");
}

TEST_CASE("bash completes values: words, lists of words, files and folders") {
  const Bash bash;
  CHECK(bash.completes({"--dtype", "b"}) == "bfloat16");
  CHECK(bash.completes({"--dtype", "=", "b"}) == "bfloat16");
  CHECK(bash.completes({"--suite", "timm,hug"}) == "timm,huggingface");
  CHECK(bash.completes({"--json", "o"}) == "out.jsonl");
  CHECK(bash.completes({"--dump", ""}) == "dump");
  CHECK(bash.completes({"show", "--format", "m"}) == "markdown");
  CHECK(bash.completes({"show", "out"}) == "out.jsonl");
  CHECK(bash.completes({"completion", "z"}) == "zsh");
  CHECK(bash.completes({"--max-samples", ""}) == "");
}

TEST_CASE("what is made for zsh and fish is a script of theirs") {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    if (!has(shell)) continue;
    CAPTURE(shell);
    CHECK(syntaxStatus(shell) == 0);
  }
  CHECK(printed({"completion", "zsh"}).find("'--dtype[Dtype of floating tensors") != std::string::npos);
  CHECK(printed({"completion", "fish"}).find("-l dtype -x -a 'float16 bfloat16 float32 float64' -d ") != std::string::npos);
}

TEST_CASE("a shell that is not known is refused") {
  CHECK(tests::refusal(ir::ErrorKind::Input, [] { printed({"completion", "tcsh"}); }) ==
        "completion must be one of bash, zsh, fish, got 'tcsh'");
}

TEST_CASE("the manual page has every command and option, and groff has nothing to say against it") {
  const std::string page = printed({"man"});
  CHECK(page.starts_with(".TH OPBENCH 1 "));
  for (const char* text : {".SH NAME\nopbench \\- ", ".SS Samples\n", "\\fB\\-\\-op\\fR \\fIOP,..\\fR\n", "\"opbench compare ",
                           "\"opbench profile model ", "\\fB\\-\\-fail\\-on\\fR", "Exit status: "})
    CHECK_MESSAGE(page.find(text) != std::string::npos, text);
  if (!has("groff")) return;
  const tests::TemporaryFolder folder;
  std::ofstream(folder.path / "opbench.1") << page;
  const std::string at = folder.path.string();
  CHECK(std::system(fmt::format("groff -ww -man -Tutf8 {0}/opbench.1 >{0}/shown 2>{0}/warnings", at).c_str()) == 0);
  CHECK(tests::contentOf(folder.path / "warnings") == "");
  CHECK(tests::contentOf(folder.path / "shown").find("Environment: OPBENCH_CACHE") != std::string::npos);
}
