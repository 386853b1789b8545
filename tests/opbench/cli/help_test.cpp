#include "opbench/cli/help/help.h"

#include <doctest/doctest.h>

#include <sstream>

#include "opbench/cli/options.h"
#include "opbench/settings/options.h"

using namespace opbench;

namespace {

std::string help(const std::vector<std::string>& arguments, int columns = 100) {
  Environment environment;
  environment.columns = columns;
  return parseOptions(arguments, environment).text;
}

/// How often a text has a word, alone between blanks, commas or line breaks.
int occurrences(const std::string& text, const std::string& word) {
  int count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    count += std::string_view(" ,\n").find(text[at + word.size()]) != std::string_view::npos;
  return count;
}

size_t longestLine(const std::string& text) {
  size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

}  // namespace

TEST_CASE("--help shows a page of options and the commands, and says how to see the others") {
  const std::string text = help({"--help"});
  for (const char* word :
       {"Samples:", "--op OP,..", "Race:", "--device", "Results:", "--json", "compare", "doctor", "OPBENCH_CACHE", "Exit status"})
    CHECK_MESSAGE(text.find(word) != std::string::npos, word);
  CHECK(text.find("--partition-id") == std::string::npos);
  CHECK(text.find("opbench --help-all shows ") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') < 76);
  CHECK(help({"-h"}) == text);
}

TEST_CASE("--help-all names every option") {
  const std::string text = help({"--help-all"});
  std::istringstream words(
      "--suite --inputs --inp-file --op --filter --exclude --max-samples --sample-mode --config --slow --start-idx --max-bytes "
      "--shard --compat --force --total-partitions --partition-id --devices --timeout --start-timeout --in-process --resume "
      "--quiet "
      "--cases --no-cases --max-cases --dtype --device --contenders --measure-nvfuser --repeats --accuracy-checking --siblings "
      "--no-timing "
      "--tune --schedule --channels-last --seed --threads --list --markdown --csv --json --dashboard --junit --dump --cache "
      "--no-cache --shared-cache --cache-size --version --sanitize --cosine --help-all");
  for (std::string word; words >> word;) CHECK_MESSAGE(text.find("\n  " + word) != std::string::npos, word);
  CHECK(text.find("--help-all shows") == std::string::npos);
}

TEST_CASE("the help of a command has its own options, all of them") {
  const std::string text = help({"compare", "--help"});
  CHECK(text.find("Usage: opbench compare [OPTIONS]") != std::string::npos);
  CHECK(text.find("--fail-on NAMES") != std::string::npos);
  CHECK(text.find("--device") == std::string::npos);
  CHECK(help({"rnn", "--help-all"}).find("--seqLength") != std::string::npos);
}

TEST_CASE("the help of a command names its commands, which have their own help") {
  const std::string profile = help({"profile", "--help"});
  CHECK(profile.find("Usage: opbench profile [COMMAND] [OPTIONS]") != std::string::npos);
  CHECK(profile.find("--nloops N") != std::string::npos);
  CHECK(profile.find("Commands (opbench profile COMMAND --help says more of each):\n  model ") != std::string::npos);
  const std::string model = help({"profile", "model", "--help"});
  CHECK(model.find("Usage: opbench profile model [OPTIONS] [MODEL..]") != std::string::npos);
  CHECK(model.find("--batch-sizes") != std::string::npos);
  for (const char* hasNoEffect : {"--accuracy", "--only", "--repeat", "--save-to-csv"})
    CHECK_MESSAGE(occurrences(model, hasNoEffect) == 0, hasNoEffect);
}

TEST_CASE("an option has one spelling in the help, and its default") {
  const std::string text = help({"--help-all"});
  CHECK(occurrences(text, "--no-memory") == 1);
  CHECK(text.find("--no_memory") == std::string::npos);
  CHECK(text.find("Most samples of each operator; 0 takes all (default: 15)") != std::string::npos);
  CHECK(text.find("--dtype float16|bfloat16|float32|float64") != std::string::npos);
}

TEST_CASE("lines are as wide as the terminal, and go on below the text of an entry") {
  CHECK(longestLine(help({"--help-all"}, 80)) <= 80);
  CHECK(longestLine(help({"compare", "--help"}, 60)) <= 60);
  CHECK(filled("  noise  the intervals overlap", 22) == "  noise  the intervals\n         overlap");
  CHECK(filled("- one two three", 10) == "- one two\n  three");
  CHECK(filled("one two three", 10) == "one two\nthree");
  CHECK(filled("onetwothreefour five", 10) == "onetwothreefour\nfive");
}
