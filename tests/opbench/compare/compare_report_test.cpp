#include "opbench/compare/report.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "ir/error.h"
#include "opbench/compare/html/page.h"
#include "opbench/front/compare.h"
#include "tests/golden.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;
using compare::Comparison;
using compare::Verdict;

namespace {

/// A line of results: `rest` is its status and figures.
std::string reportLine(const std::string& op, const std::string& sample, const std::string& rest) {
  return fmt::format(
      R"({{"op":"{}","sample":"{}","count":3,"device":"cuda:0","device_name":"Example GPU","dtype":"float16","kind":"generated",)"
      R"("version":"opbench 0.1.0","contender":"opbench","clock_mhz":1980,"aa_noise":0.005,{}}})"
      "\n",
      op, sample, rest);
}

std::string measured(double us) {
  return fmt::format(R"("status":"ok","median_us":{:.2f},"low_us":{:.2f},"high_us":{:.2f})", us, 0.998 * us, 1.002 * us);
}

const std::string add = "aten.add.Tensor", mul = "aten.mul.Tensor", mish = "aten.mish.default";
const std::string wide = "((T([4096, 4096], f16), T([4096, 4096], f16)), {})", small = "((T([8, 8], f16), 2), {})",
                  odd = "((T([3], f16), 'a|<b>'), {})";

std::string baseLines() {
  return reportLine(add, wide, measured(24)) + reportLine(add, small, measured(4.1)) + reportLine(add, odd, measured(5)) +
         reportLine(mul, wide, measured(24)) + reportLine(mul, small, R"("status":"error","reason":"it broke")") +
         reportLine(mish, wide, measured(8));
}

std::string candidateLines() {
  return reportLine(add, wide, measured(26)) + reportLine(add, small, measured(4.1)) +
         reportLine(add, odd, R"("status":"wrong","reason":"output 0 is wrong at [2]: found 3 & expected <1>")") +
         reportLine(mul, wide, measured(20)) + reportLine(mul, small, measured(4.2)) + reportLine(mul, odd, measured(5));
}

Comparison example() {
  return compare::compare(results::read(baseLines(), "base.jsonl"), results::read(candidateLines(), "candidate.jsonl"));
}

}  // namespace

TEST_CASE("a comparison on the console: what changed, the operators, the totals") {
  const std::string text = compare::console(example(), false, false, 80);
  tests::checkGolden("compare-console.txt", text);
  std::istringstream lines(text);
  for (std::string each; std::getline(lines, each);) CHECK(each.size() <= 80);
  CHECK(compare::console(example(), true, false, 0).find("same  f16[8,8], 2\n") != std::string::npos);
  CHECK(compare::console(example(), false, true, 0).find("\033[31m              SLOW\033[0m") != std::string::npos);
}

TEST_CASE("the changes of the time and of the speedup over eager stand in columns of their own, with their meaning") {
  const auto lines = [](double eager, double opbench) {
    std::string text;
    for (int i = 1; i <= 12; ++i) {
      const std::string sample = fmt::format("((T([{}], f16),), {{}})", 1000 * i);
      const auto line = [&](const char* contender, double us, double speedup) {
        std::string one = reportLine(
            mish, sample,
            measured(us * i) + fmt::format(R"(,"speedup":{0:.4f},"speedup_low":{0:.4f},"speedup_high":{0:.4f})", speedup));
        if (contender[0] == 'e') one.replace(one.find(R"("opbench","clock)"), 9, R"("eager")");
        return one;
      };
      text += line("eager", eager, 1) + line("opbench", opbench, eager / opbench);
    }
    return results::read(text, "r.jsonl");
  };
  // The machine is slower by a fifth; the code by a tenth: its speedup grew.
  const Comparison comparison = compare::compare(lines(10, 5), lines(12, 5.5));
  const std::string text = compare::console(comparison, true, false, 0);
  CHECK(text.find("time  speedup      95% interval           verdict  sample\n") != std::string::npos);
  CHECK_MESSAGE(text.find("5.00 us    5.50 us   +10.0%    +9.1%") != std::string::npos, text);
  const std::string meaning =
      "time: the change of the time; speedup: that of the speedup over eager, with its 95% interval, on which the verdict rests";
  CHECK(text.find(meaning) != std::string::npos);
  CHECK(compare::html(comparison, "a", "b").find(meaning) != std::string::npos);
  for (const auto& [reason, expected] :
       {std::pair(compare::Ambiguity::Drift, "; drift: the machine changed, or scatters, by as much"),
        std::pair(compare::Ambiguity::Few, "; few: too few samples with eager"),
        std::pair(compare::Ambiguity::Noise, "; noise: intervals overlap or are wide")}) {
    Comparison ambiguous = compare::compare(lines(10, 5), lines(12, 5.5));
    ambiguous.rows.front().verdict = Verdict::Ambiguous;
    ambiguous.rows.front().ambiguity = reason;
    CHECK(compare::console(ambiguous, true, false, 0).find(expected) != std::string::npos);
    CHECK(compare::markdown(ambiguous).find(expected) != std::string::npos);
  }
}

TEST_CASE("a comparison as markdown") { tests::checkGolden("compare.md", compare::markdown(example())); }

TEST_CASE("a comparison as JUnit: a test case a sample, failures as --fail-on names them") {
  tests::checkGolden("compare.xml", compare::junit(example(), {Verdict::Slow, Verdict::Wrong}));
  CHECK(compare::junit(example(), {}).find("<failure") == std::string::npos);
}

TEST_CASE("a comparison as a page: its data are the rows, with verdicts as on the console") {
  const std::string page = compare::html(example(), "base.jsonl", "");
  CHECK(page.find(R"("summary":"1 WRONG, 1 SLOW, 1 FAST, 1 same, 1 fixed, 1 new, 1 gone")") != std::string::npos);
  CHECK(page.find("base.jsonl:2") != std::string::npos);
  CHECK(page.find("\"candidate_where\":") == std::string::npos);  // of several files
  CHECK(page.find("'a|\\u003cb>'") != std::string::npos);
}

TEST_CASE("the verb: status 1 for what --fail-on names, never for being faster; refusals before anything is printed") {
  tests::TemporaryFolder folder;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder.path / name) << text;
    return (folder.path / name).string();
  };
  CompareOptions options;
  options.base = {write("base.jsonl", baseLines())};
  options.candidate = {write("candidate.jsonl", candidateLines())};
  options.markdown = folder.path / "c.md";
  options.junit = folder.path / "c.xml";
  std::ostringstream out, err;
  const auto passes = [&](const std::string& failOn) {
    options.failOn = failOn;
    return compareFiles(options, out, err, false, 0);
  };
  CHECK_FALSE(passes("slow"));
  CHECK_FALSE(passes("crash,wrong"));
  CHECK_FALSE(passes("gone"));
  CHECK(passes("crash,impossible"));
  CHECK(passes("none"));
  CHECK(tests::contentOf(options.markdown) ==
        compare::markdown(compare::compare(results::readFile(options.base[0]), results::readFile(options.candidate[0]))));
  CHECK(tests::contentOf(options.junit).starts_with("<?xml"));
  CHECK(err.str() == "");

  std::string other = candidateLines();
  for (size_t at = 0; (at = other.find("Example GPU", at)) != std::string::npos; ++at) other.replace(at, 7, "Another");
  options.candidate = {write("other.jsonl", other + "{\"op\":")};
  out.str("");
  CHECK_THROWS_WITH_AS(
      passes("none"),
      (options.base[0] + " and " + options.candidate[0] +
       " are not comparable: devices differ: Example GPU (cuda) and Another GPU (cuda); use --force to compare anyway")
          .c_str(),
      ir::Error);
  CHECK(out.str() == "");
  CHECK(err.str() == "opbench: " + options.candidate[0] + ":7: the line is cut off and is skipped\n");
  options.force = true;
  CHECK(passes("none"));
  CHECK(out.str().find("FAST") != std::string::npos);
}
