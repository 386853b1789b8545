#include "opbench/cli/options.h"
#include "opbench/compare/options.h"

#include <doctest/doctest.h>

#include "ir/error.h"
#include "opbench/settings/options.h"
#include "tests/refusal.h"

using namespace opbench;
using Files = std::vector<std::string>;

TEST_CASE("the files of two builds stand side by side, or with -- between them") {
  const auto parsed = [](const Files& words) { return parseOptions(words, {}).compare; };
  const CompareOptions two = parsed({"compare", "a", "b", "--all"});
  CHECK(two.base == Files{"a"});
  CHECK(two.candidate == Files{"b"});
  const CompareOptions several = parsed({"compare", "a1", "a2", "--", "b1", "b2", "b3", "--all"});
  CHECK(several.base == Files{"a1", "a2"});
  CHECK(several.candidate == Files{"b1", "b2", "b3"});
  CHECK(several.all);
  for (const Files& words : {Files{"compare"}, {"compare", "a"}, {"compare", "a", "b", "c"}, {"compare", "--", "b"}})
    CHECK_THROWS_WITH_AS(parsed(words), "compare takes two files of results, or several of each build: BASE.. -- CANDIDATE..",
                         ir::Error);
}

TEST_CASE("two builds are run with the options of the race, wherever these stand") {
  const auto parsed = [](const Files& words) { return parseOptions(words, {}).compare; };
  const CompareOptions run = parsed({"compare", "--run", "a", "b", "--repeats", "3", "--op", "gelu,add", "--threads=1"});
  CHECK(run.programs == Files{"a", "b"});
  CHECK(run.repeats == 3);
  CHECK(run.race == Files{"--op", "gelu,add", "--threads=1"});
  CHECK(CompareOptions().repeats == 5);
  const Files race{"--device", "cpu", "--no-timing", "--inp-file", "compare", "--quiet"};
  for (const Files& words :
       {Files{"--device", "cpu", "compare", "--run", "a", "b", "--no-timing", "--inp-file", "compare", "--quiet"},
        {"compare", "--device", "cpu", "--no-timing", "--inp-file", "compare", "--quiet", "--run", "a", "b"},
        {"compare", "--all", "--device", "cpu", "--fail-on=none", "--no-timing", "--run", "a", "b", "--repeats", "2",
         "--inp-file", "compare", "--markdown", "m.md", "--quiet"},
        {"compare", "--run", "a", "b", "--", "--device", "cpu", "--no-timing", "--inp-file", "compare", "--quiet"}})
    CHECK(parsed(words).race == race);

  const CompareOptions networks =
      parsed({"compare", "--run", "a", "b", "--repeats", "2", "model", "resnet18", "--training", "--device", "cpu"});
  CHECK(networks.programs == Files{"a", "b"});
  CHECK(networks.race == Files{"model", "resnet18", "--training", "--device", "cpu"});
  CHECK(parsed({"compare", "--run", "a", "b", "cnn", "--nloops", "3"}).race == Files{"cnn", "--nloops", "3"});
}

TEST_CASE("what contradicts a run of two builds is refused") {
  const auto refusal = [](Files words) {
    words.insert(words.begin(), "compare");
    return tests::refusal(ir::ErrorKind::Input, [&] { parseOptions(words, {}); });
  };
  CHECK(refusal({"--run", "a"}) == "compare: --run takes two programs: BASE CANDIDATE");
  CHECK(refusal({"--run", "a", "b", "c"}).starts_with("--run: At Most 2 required but received 3"));
  CHECK(refusal({"a", "--run", "b", "c"}) == "compare: --run makes its own results and takes no file, got 'a'");
  CHECK(refusal({"--run", "a", "b", "profile"}) ==
        "compare: --run races samples, or networks of model, rnn and cnn, got the command 'profile'");
  CHECK(refusal({"a", "b", "model", "resnet18"}) == "compare: model is raced by --run alone");
  CHECK(refusal({"--run", "a", "b", "--repeats", "0"}) == "compare: --repeats must be at least 1, got 0");
  for (const char* option : {"--json", "--csv", "--samples-csv", "--dashboard", "--timeline"})
    CHECK(refusal({"--run", "a", "b", option, "f"}) ==
          std::string("compare: every run would write the file of ") + option + "; --keep DIR keeps their results");
  CHECK(refusal({"--run", "a", "b", "--dump", "d"}) == "compare: --run cannot be combined with --dump");
  CHECK(refusal({"--run", "a", "b", "--aa"}) == "compare: --run cannot be combined with --aa");
  CHECK(refusal({"--run", "a", "b", "--opp", "gelu"}).starts_with("unknown option '--opp'; did you mean --op"));
  CHECK(refusal({"a", "b", "--op", "gelu"}) == "compare: --op is an option of a race; it needs --run");
  CHECK(refusal({"a", "b", "--repeats", "2"}).starts_with("--repeats requires --run"));
  CHECK(refusal({"a", "b", "--keep", "d"}).starts_with("--keep requires --run"));
}
