#include "tests/opbench/compare/synthetic_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "inputs/random.h"

namespace tests {
namespace {

using inputs::randomBits;
using inputs::uniform;

constexpr double launchOverheadUs = 2, launchBoundUs = 2.2, smallUs = 10;
constexpr int runs = 100;

/// Medians of a contender's runs, with 95 % intervals by order statistics (ranks 40 and 61 of 100).
struct Drawn {
  double low, median, high, p20, p80;
};

Drawn summary(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[39], (values[49] + values[50]) / 2, values[60], values[19], values[79]};
}

/// Runs of one contender in turn with the other's.
std::vector<double> drawRuns(double us, uint64_t key) {
  std::vector<double> values;
  for (int i = 0; i < runs; ++i) values.push_back(us * (1 + 0.01 * inputs::normalQuantile(uniform(randomBits(key, i)))));
  return values;
}

/// Where this process put a contender's kernel.
double placement(const SyntheticRun& run, double us, uint64_t key) {
  const double ofSmall = us < smallUs ? 0.015 * (uniform(randomBits(key, 0)) - 0.5) : 0;
  return 1 + ofSmall + run.processScatter * inputs::normalQuantile(uniform(randomBits(key, 1)));
}

/// By how much the machine is slower for a contender, where it has a slow phase.
double slowPhase(uint64_t key) { return 1.15 + 0.2 * uniform(randomBits(key, 2)); }

std::string line(const SyntheticRun& run, int index, const char* contender, const Drawn& us, const Drawn& speedup,
                 bool launchBound) {
  return fmt::format(
      R"-({{"schema":2,"index":{},"op":"aten.op{}.default","sample":"((T([{}], f16),), {{}})","file":"synthetic.txt","line":{},)-"
      R"-("count":1,"device":"{}","dtype":"float16","contender":"{}","kind":"generated","status":"ok","reason":"",)-"
      R"-("median_us":{:.3f},"low_us":{:.3f},"high_us":{:.3f},"p20_us":{:.3f},"p80_us":{:.3f},"rounds_us":[],"runs":{},)-"
      R"-("speedup":{:.5f},"speedup_low":{:.5f},"speedup_high":{:.5f},"clock_mhz":{:.1f},"launch_bound":{},)-"
      R"-("aa_noise":0.01,"flush":"write","data":"normal","device_name":"Example GPU","seed":0,"threads":0,)-"
      R"-("version":"opbench 0.1.0"}})-"
      "\n",
      index, index / 50, index, index, run.device, contender, us.median, us.low, us.high, us.p20, us.p80, runs, speedup.median,
      speedup.low, speedup.high, run.clockMhz, launchBound);
}

}  // namespace

std::string syntheticLines(const SyntheticRun& run) {
  constexpr uint64_t sampleKey = 42;
  std::string text;
  for (int i = 1; i <= run.samples; ++i) {
    const double eagerUs = launchOverheadUs * std::pow(250, uniform(randomBits(sampleKey, i)));
    const double ratio = 0.8 + 0.4 * uniform(randomBits(sampleKey + 1, i));
    const double codeUs = std::max(launchOverheadUs, eagerUs * ratio);
    const bool launchBound = codeUs < launchBoundUs;
    const double around = run.machine * run.disturbance(i);
    const auto key = [&](uint64_t what) { return randomBits(randomBits(run.process, i), what); };
    const bool isSlow = uniform(key(4)) < run.slowPhases;
    const auto machine = [&](uint64_t what) { return around * (isSlow ? slowPhase(randomBits(sampleKey + 2 + what, i)) : 1); };
    const auto eager = drawRuns(machine(0) * eagerUs * placement(run, eagerUs, key(0)), key(1));
    const double slowdown = launchBound ? 1 : run.slowdown;
    const auto code = drawRuns(machine(2) * codeUs * slowdown * placement(run, codeUs, key(2)), key(3));
    std::vector<double> speedups;
    for (int r = 0; r < runs; ++r) speedups.push_back(eager[r] / code[r]);
    text += line(run, i, "eager", summary(eager), Drawn{1, 1, 1, 1, 1}, false);
    text += line(run, i, "opbench", summary(code), summary(speedups), launchBound);
  }
  return text;
}

opbench::results::Results syntheticResults(const SyntheticRun& run) {
  return opbench::results::read(syntheticLines(run), fmt::format("process{}.jsonl", run.process));
}

}  // namespace tests
