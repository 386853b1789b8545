#include "opbench/compare/compare.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "opbench/compare/summary.h"
#include "tests/opbench/compare/synthetic_results.h"

using namespace opbench;
using compare::Ambiguity;
using compare::Change;
using compare::Compared;
using compare::Comparison;
using compare::Verdict;
using tests::syntheticResults;

namespace {

/// Rows of kernels that take longer than an empty one, and the share of them with one of these verdicts.
double shareNotLaunchBound(const Comparison& comparison, std::initializer_list<Verdict> verdicts) {
  int all = 0, those = 0;
  for (const Compared& row : comparison.rows) {
    if (row.base->isLaunchBound) continue;
    ++all;
    those += std::count(verdicts.begin(), verdicts.end(), row.verdict) > 0;
  }
  REQUIRE(all > 0);
  return static_cast<double>(those) / all;
}

int countOf(const Comparison& comparison, Verdict verdict) { return compare::total(comparison).of(verdict); }

/// Lines of one contender on one sample, for the cases below.
std::string verdictLine(const std::string& op, const std::string& contender, const std::string& rest) {
  return R"({"op":")" + op + R"-(","sample":"((T([2], f16),), {})","device":"cpu","device_name":"Example","dtype":"float16",)-" +
         "\"contender\":\"" + contender + "\"," + rest + "}\n";
}

/// Figures that are known to half a percent each, with such a gap.
compare::Pair pair(double base, double candidate, double gap) {
  const auto figure = [](double value) { return compare::figureOf(value, {value * 0.995, value * 1.005}); };
  return {figure(base), figure(candidate), std::log1p(0.005), std::log1p(gap) / compare::Control::certain};
}

const std::string fine = R"("status":"ok","median_us":10,"low_us":9.95,"high_us":10.05,"aa_noise":0.005)";

Comparison compared(const std::string& base, const std::string& candidate) {
  return compare::compare(results::read(base, "base.jsonl"), results::read(candidate, "candidate.jsonl"));
}

/// The verdict on opbench for one sample with these ends of the lines.
Verdict verdictOf(const std::string& base, const std::string& candidate) {
  const std::string other = verdictLine("aten.b.default", "opbench", fine);
  const Comparison c = compared(other + (base.empty() ? "" : verdictLine("aten.a.default", "opbench", base)),
                                other + (candidate.empty() ? "" : verdictLine("aten.a.default", "opbench", candidate)));
  for (const Compared& row : c.rows)
    if (row.any().op == "aten.a.default") return row.verdict;
  return Verdict::Same;
}

}  // namespace

TEST_CASE("two runs of one build: same or ambiguous for 99 % of samples") {
  for (uint64_t process : {2, 3, 4}) {
    const Comparison c = compare::compare(syntheticResults({.process = 1}), syntheticResults({.process = process}));
    REQUIRE(c.rows.size() == 1000);
    CHECK(countOf(c, Verdict::Fast) + countOf(c, Verdict::Slow) <= 10);
    CHECK(countOf(c, Verdict::Same) >= 900);
  }
}

TEST_CASE(
    "a build that is 5 % slower is slow for 95 % of the samples above the launch overhead, and faster the other way round") {
  for (uint64_t process : {2, 3, 4}) {
    const Comparison slower =
        compare::compare(syntheticResults({.process = 1}), syntheticResults({.process = process, .slowdown = 1.05}));
    CHECK(shareNotLaunchBound(slower, {Verdict::Slow}) >= 0.95);
    CHECK(countOf(slower, Verdict::Fast) == 0);
    const Comparison faster =
        compare::compare(syntheticResults({.process = process, .slowdown = 1.05}), syntheticResults({.process = 1}));
    CHECK(shareNotLaunchBound(faster, {Verdict::Fast}) >= 0.95);
  }
}

TEST_CASE("a slower machine is not slower code: eager says so") {
  const Comparison drifted =
      compare::compare(syntheticResults({.process = 1}), syntheticResults({.process = 2, .machine = 1.04}));
  CHECK(countOf(drifted, Verdict::Slow) + countOf(drifted, Verdict::Fast) <= 10);
  CHECK(drifted.control.drift() == doctest::Approx(std::log(1.04)).epsilon(0.1));
  const Comparison both =
      compare::compare(syntheticResults({.process = 1}), syntheticResults({.process = 2, .slowdown = 1.10, .machine = 1.04}));
  CHECK(shareNotLaunchBound(both, {Verdict::Slow}) >= 0.95);
  const Comparison masked =
      compare::compare(syntheticResults({.process = 1}), syntheticResults({.process = 2, .slowdown = 1.05, .machine = 1 / 1.05}));
  CHECK(shareNotLaunchBound(masked, {Verdict::Ambiguous}) >= 0.9);
  CHECK(shareNotLaunchBound(masked, {Verdict::Slow, Verdict::Fast}) <= 0.01);
}

TEST_CASE("what disturbs single samples, eager and all, is not slower code either") {
  const auto disturbed = [](int index) { return index % 20 == 0 ? 1.15 : 1.0; };
  const Comparison c =
      compare::compare(syntheticResults({.process = 1}), syntheticResults({.process = 2, .disturbance = disturbed}));
  CHECK(countOf(c, Verdict::Slow) <= 10);
  for (const Compared& row : c.rows)
    if (row.any().index % 20 == 0 && row.verdict == Verdict::Ambiguous) CHECK(row.ambiguity == Ambiguity::Drift);
}

TEST_CASE("a time that grew because the clock fell is no change of the code") {
  const Comparison c = compare::compare(syntheticResults({.process = 1}),
                                        syntheticResults({.process = 2, .machine = 1.05, .clockMhz = 1980 / 1.05}));
  CHECK(shareNotLaunchBound(c, {Verdict::Slow}) <= 0.01);
}

TEST_CASE("the rule: clear of the gap, or ambiguous for a reason") {
  const compare::Figure ten = compare::figureOf(10, {9.95, 10.05});
  const auto judged = [&](double value, double low, double high) {
    compare::Evidence evidence;
    evidence.time = {ten, compare::figureOf(value, {low, high}), std::log1p(0.01)};
    return compare::judge(evidence);
  };
  CHECK(judged(11, 10.9, 11.1).change == Change::Slower);
  CHECK(judged(9, 8.9, 9.1).change == Change::Faster);
  CHECK(judged(10.05, 10, 10.1).change == Change::Same);
  CHECK(judged(10.08, 10.07, 10.09).change == Change::Same);
  CHECK(judged(10.15, 10.1, 10.2).ambiguity == Ambiguity::Gap);
  CHECK(judged(10.5, 10, 11).ambiguity == Ambiguity::Noise);
  CHECK(judged(10, 9, 11).ambiguity == Ambiguity::Noise);
}

TEST_CASE(
    "where a control ran in turn, its ratio decides, and with it the other measure, if each moved by half as much as both") {
  const auto judged = [&](double time, double ratio, double secondary = 1) {
    compare::Evidence evidence;
    evidence.time = pair(10, 10 * time, 0.015);
    evidence.paired = pair(1, ratio, 0.02);
    evidence.secondary = pair(2, 2 * secondary, 0.01);
    evidence.drift = std::log1p(0.01);
    return compare::judge(evidence);
  };
  CHECK(judged(1.04, 1.05).change == Change::Slower);
  CHECK(judged(1.03, 1.05).ambiguity == Ambiguity::Drift);  // more than half of it is the control's
  CHECK(judged(0.97, 0.95).change == Change::Faster);
  CHECK(judged(1.00, 1.05).ambiguity == Ambiguity::Drift);
  CHECK(judged(1.10, 1.01).ambiguity == Ambiguity::Drift);
  CHECK(judged(1.03, 1.025, 1.03).change == Change::Slower);
  CHECK(judged(1.03, 1.025, 1.01).change == Change::Slower);
  CHECK(judged(1.03, 1.025, 1.005).ambiguity == Ambiguity::Gap);
  CHECK(judged(1.03, 1.025, 0.95).ambiguity == Ambiguity::Gap);
  CHECK(judged(1.03, 1.017, 1.02).change == Change::Slower);
  CHECK(judged(1.00, 1.017, 1.02).change == Change::Slower);  // the other measure moved without the control
  CHECK(judged(1.03, 1.005, 1.03).change == Change::Same);
}

TEST_CASE("what is printed is the change that was judged: of a slower machine, that of the code") {
  compare::Evidence evidence;
  evidence.time = pair(10, 12, 0.01);
  evidence.drift = std::log(1.2);
  evidence.paired = pair(1, 1, 0.01);
  CHECK(compare::ratio(compare::judge(evidence).basis) == doctest::Approx(1));
  evidence.paired = pair(1, 1.06, 0.01);
  evidence.secondary = pair(1, 1.04, 0.01);
  const compare::Judgement both = compare::judge(evidence);
  CHECK(both.change == Change::Slower);
  CHECK(compare::ratio(both.basis) == doctest::Approx(1.05).epsilon(1e-3));
  CHECK(compare::ratioInterval(both.basis).low > 1);
}

TEST_CASE("where the machine scatters by more than the time changed, a ratio that moved says nothing") {
  const auto judged = [&](double time, double scatter) {
    compare::Evidence evidence;
    evidence.time = pair(10, 10 * time, scatter);
    evidence.paired = pair(1, 1.05, 0.02);
    return compare::judge(evidence);
  };
  CHECK(judged(1.05, 0.01).change == Change::Slower);
  CHECK(judged(1.002, 0.01).ambiguity == Ambiguity::Drift);
  CHECK(judged(1.05, 0.52).ambiguity == Ambiguity::Drift);
}

TEST_CASE("of a network the first contender is the control, as eager is of a call") {
  const auto lines = [](const char* network, const char* first) {
    return verdictLine(network, first, fine) + verdictLine(network, "jit", fine);
  };
  const std::string all = lines("rnn.lstm.training", "cudnn") + lines("rnn.gru.training", "aten");
  const Comparison c = compared(all, all);
  REQUIRE(c.rows.size() == 2);
  for (const Compared& row : c.rows) CHECK(row.any().contender == "jit");
}

TEST_CASE("a change is no verdict where other programs interrupted the runs of either side") {
  const std::string slower = R"("status":"ok","median_us":30,"low_us":29.9,"high_us":30.1,"aa_noise":0.005)";
  CHECK(verdictOf(fine, slower) == Verdict::Slow);
  CHECK(verdictOf(fine, slower + R"(,"disturbed":true)") == Verdict::Ambiguous);
  CHECK(verdictOf(fine + R"(,"disturbed":true)", slower) == Verdict::Ambiguous);
}

TEST_CASE("where too few samples have a control, what is not gross is ambiguous") {
  const auto judged = [&](double time) {
    compare::Evidence evidence;
    evidence.time = pair(10, 10 * time, 0);
    evidence.isFew = true;
    return compare::judge(evidence);
  };
  CHECK(judged(1.001).change == Change::Same);
  CHECK(judged(1.15).ambiguity == Ambiguity::Few);
  CHECK(judged(1 / 1.15).ambiguity == Ambiguity::Few);
  CHECK(judged(1.25).change == Change::Slower);
  CHECK(judged(1 / 1.25).change == Change::Faster);
  const auto confirmed = [&](double secondary) {
    compare::Evidence evidence;
    evidence.time = pair(10, 12.5, 0);
    evidence.isFew = true;
    evidence.secondaryShift = std::log(secondary);
    return compare::judge(evidence);
  };
  CHECK(confirmed(1.2).change == Change::Slower);
  CHECK(confirmed(1.05).ambiguity == Ambiguity::Few);
  const std::string slower = R"("status":"ok","median_us":23,"low_us":22.9,"high_us":23.1,"aa_noise":0.005,"device":)";
  CHECK(verdictOf(fine, slower + R"("cuda:0")") == Verdict::Slow);
}

TEST_CASE("the fewer samples tell how far the same code scatters, the further it may") {
  const auto scatterOf = [](int samples) {
    std::vector<compare::Control::Point> points;
    for (int i = 0; i < samples; ++i) points.push_back({double(i), std::log(10 + i), 0.01 * (i % 3 - 1)});
    return compare::Control(points).scatter() / 0.01;
  };
  CHECK(scatterOf(8) == 0);
  CHECK(scatterOf(15) == doctest::Approx(1.61).epsilon(0.01));
  CHECK(scatterOf(51) == doctest::Approx(1.12).epsilon(0.01));
  CHECK(scatterOf(1000) == doctest::Approx(1.01).epsilon(0.01));
}

TEST_CASE("the interval of the ratio has both intervals in it") {
  const compare::Pair pair{compare::figureOf(10, {9.9, 10.1}), compare::figureOf(11, {10.9, 11.1})};
  const auto interval = compare::ratioInterval(pair);
  CHECK(interval.low == doctest::Approx(1.0852).epsilon(1e-4));
  CHECK(interval.high == doctest::Approx(1.1150).epsilon(1e-4));
}

TEST_CASE("what became of a sample that is not measured on both sides") {
  const std::string wrong = R"("status":"wrong","median_us":null)", error = R"("status":"error")";
  CHECK(verdictOf(fine, wrong) == Verdict::Wrong);
  CHECK(verdictOf(fine, error) == Verdict::Crash);
  CHECK(verdictOf(fine, R"("status":"crash")") == Verdict::Crash);
  CHECK(verdictOf(fine, R"("status":"impossible","median_us":0.1)") == Verdict::Impossible);
  CHECK(verdictOf(wrong, fine) == Verdict::Fixed);
  CHECK(verdictOf(error, wrong) == Verdict::Unfixed);
  CHECK(verdictOf("", fine) == Verdict::New);
  CHECK(verdictOf("", wrong) == Verdict::Wrong);
  CHECK(verdictOf(fine, "") == Verdict::Gone);
  CHECK(verdictOf(fine, R"("status":"unsupported")") == Verdict::Gone);
  CHECK(verdictOf(fine, fine) == Verdict::Same);
}

TEST_CASE("a sample that ran once has no interval, and there is no verdict on it") {
  const auto once = [](const char* median, const char* interval) {
    return R"("status":"ok","runs":1,"aa_noise":0.005,"median_us":)" + std::string(median) + interval;
  };
  for (const char* interval : {R"(,"low_us":null,"high_us":null)", R"(,"low_us":30,"high_us":30)"}) {
    const Comparison c =
        compared(verdictLine("aten.a.default", "opbench", fine), verdictLine("aten.a.default", "opbench", once("30", interval)));
    CHECK(c.rows[0].verdict == Verdict::Ambiguous);
    CHECK(c.rows[0].ambiguity == Ambiguity::Noise);
    CHECK_FALSE(c.rows[0].interval);
  }
}

TEST_CASE("files without intervals: the range of the runs stands for them, and a note says so") {
  const std::string before = R"("status":"ok","median_us":10,"p20_us":9.8,"p80_us":10.3)";
  const std::string slower = R"("status":"ok","median_us":13,"p20_us":12.8,"p80_us":13.3)";
  CHECK(verdictOf(before, slower) == Verdict::Slow);
  CHECK(verdictOf(before, before) == Verdict::Same);
  CHECK(verdictOf(before, R"("status":"ok","median_us":10.5,"p20_us":10.2,"p80_us":10.8)") == Verdict::Ambiguous);
  const Comparison c = compared(verdictLine("aten.a.default", "opbench", before), verdictLine("aten.a.default", "opbench", fine));
  REQUIRE(c.notes.size() == 3);
  CHECK(c.notes[0].starts_with("base.jsonl has no intervals of its medians"));
  CHECK(c.notes[1] == "base.jsonl has no A/A noise; run --aa once on the device to measure it");
  CHECK(c.notes[2].starts_with("fewer than 9 samples have eager to compare with in both files"));
}

TEST_CASE("eager alone is compared itself; beside others it is the control") {
  const std::string eager = verdictLine("aten.a.default", "eager", fine),
                    opbench = verdictLine("aten.a.default", "opbench", fine);
  CHECK(compared(eager, eager).rows.size() == 1);
  const Comparison c = compared(eager + opbench, eager + opbench);
  REQUIRE(c.rows.size() == 1);
  CHECK(c.rows[0].any().contender == "opbench");
}

TEST_CASE("files that are not comparable") {
  const auto found = [](const tests::SyntheticRun& candidate, const std::string& what, const std::string& instead) {
    std::string text = tests::syntheticLines(candidate);
    for (size_t at = 0; !what.empty() && (at = text.find(what, at)) != std::string::npos; at += instead.size())
      text.replace(at, what.size(), instead);
    return compare::comparabilityIssues(syntheticResults({.samples = 5}), results::read(text, "candidate.jsonl"));
  };
  using Texts = std::vector<std::string>;
  CHECK(found({.samples = 5, .process = 2}, "", "") == Texts{});
  CHECK(found({.samples = 5, .clockMhz = 1900}, "", "") == Texts{"clocks differ: 1980 and 1900 MHz"});
  CHECK(found({.samples = 5}, "Example GPU", "Other GPU") == Texts{"devices differ: Example GPU (cuda) and Other GPU (cuda)"});
  CHECK(found({.samples = 5}, "cuda:0", "cuda:1") == Texts{});
  CHECK(found({.samples = 5}, "float16", "float32") == Texts{"dtypes differ: float16 and float32"});
  CHECK(found({.samples = 5}, "\"seed\":0", "\"seed\":7") == Texts{"seeds differ: 0 and 7"});
  CHECK(found({.samples = 5}, "\"threads\":0", "\"threads\":2") == Texts{"threads differ: 0 and 2"});
  CHECK(found({.samples = 5}, "\"flush\":\"write\"", "\"flush\":\"read\"") ==
        Texts{"flushes of the cache differ: write and read"});
  CHECK(found({.samples = 5}, "normal", "zeros") == Texts{"data differ: normal and zeros"});
  CHECK(found({.samples = 5}, "\"seed\":0", "\"seed\":0,\"aa\":true") ==
        Texts{"candidate.jsonl is an A/A run: its speedups are of each contender over itself"});
}

TEST_CASE("other releases of torch, CUDA or the driver are not comparable; another GPU of the model or a compiler is a note") {
  const auto resultsOf = [](const std::string& environment) {
    std::string text = tests::syntheticLines({.samples = 5});
    const std::string before = "\"seed\":0";
    for (size_t at = 0; (at = text.find(before, at)) != std::string::npos; at += before.size() + environment.size())
      text.insert(at + before.size(), environment);
    return results::read(text, "r.jsonl");
  };
  const std::string here =
      R"(,"environment":{"torch":"2.11.0","cuda":"13.0","driver":"580.65","nvrtc":"13.0","gpu_uuid":"GPU-1","ecc":true})";
  using Texts = std::vector<std::string>;
  const auto issues = [&](const std::string& there) { return compare::comparabilityIssues(resultsOf(here), resultsOf(there)); };
  const auto notes = [&](const std::string& there) { return compare::environmentNotes(resultsOf(here), resultsOf(there)); };
  CHECK(issues(here) == Texts{});
  CHECK(notes(here) == Texts{});
  CHECK(issues("") == Texts{});  // a file of an older program
  CHECK(issues(R"(,"environment":{"torch":"2.12.0","cuda":"13.1","driver":"590.1"})") ==
        Texts{"torch differs: 2.11.0 and 2.12.0", "CUDA differs: 13.0 and 13.1", "driver differs: 580.65 and 590.1"});
  const std::string other = R"(,"environment":{"torch":"2.11.0","nvrtc":"13.1","gpu_uuid":"GPU-2","ecc":false})";
  CHECK(issues(other) == Texts{});
  CHECK(notes(other) == Texts{"NVRTC differs: 13.0 and 13.1", "GPU UUID differs: GPU-1 and GPU-2", "ECC differs: on and off"});
}

TEST_CASE("dtypes that differ as a whole do not keep samples apart") {
  const std::string half = verdictLine("aten.a.default", "opbench", fine);
  std::string full = half;
  full.replace(full.find("float16"), 7, "float32");
  CHECK(countOf(compared(half, full), Verdict::Same) == 1);
  CHECK(countOf(compared(half, half + full), Verdict::New) == 1);
}
