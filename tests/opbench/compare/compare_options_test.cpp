#include "opbench/cli/options.h"
#include "opbench/compare/options.h"

#include <doctest/doctest.h>

#include "ir/error.h"
#include "opbench/settings/options.h"

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
