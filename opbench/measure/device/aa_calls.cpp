#include "opbench/measure/device/aa_calls.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/compile.h"
#include "inputs/sample.h"
#include "opbench/measure/device/cached_ceilings.h"
#include "opbench/measure/device/ceilings.h"
#include "opbench/measure/race.h"
#include "opbench/text/time.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/workloads/call.h"

namespace opbench {
namespace {

constexpr int timesAnew = 3;          // that a process makes each call
constexpr double mostSeconds = 0.04;  // of the race of one

/// Samples of which two take less than 10 us, two less than 100, and two longer, on most devices.
std::vector<inputs::Sample> fixedSamples(bool isCuda) {
  constexpr int64_t columns = 512;
  std::string text;
  for (const char* form : {"Operator: aten.silu.default\ncnt: 1, ((T([{0}, {1}], f32),), {{}})\n",
                           "Operator: aten._softmax.default\ncnt: 1, ((T([{0}, {1}], f32), -1, False), {{}})\n"})
    for (const int64_t rows : isCuda ? std::vector<int64_t>{32, 1 << 14, 1 << 17} : std::vector<int64_t>{16, 128, 2048})
      text += fmt::format(fmt::runtime(form), rows, columns);
  return inputs::parseFile(text, "A/A noise", "").samples;
}

/// A call with memory and code of its own, which stay while the next one is made.
struct Anew {
  Anew(const inputs::Sample& sample, runtime::Device& device, const runtime::Cache& cache) : call(sample, device, 0) {
    const ir::Graph graph = call.graph(call.runEager());
    eager = runtime::eagerCallable(call);
    generated = runtime::plannedCallable(call, codegen::compile(graph, device.target()), device, cache);
    trials.push_back(device.prepare(*eager, call));
    trials.push_back(device.prepare(*generated, call));
  }

  runtime::Call call;
  runtime::CallablePtr eager, generated;
  std::vector<std::unique_ptr<runtime::Trial>> trials;
};

/// Whether other programs interrupted so many runs that they, and not the call, make the difference.
bool isBusy(const Measurement& measurement) {
  int runs = 0;
  for (const Timing& timing : measurement.timings) runs += timing.runs;
  return measurement.isDisturbed || 10 * measurement.interruptions > runs;
}

/// Nothing on a busy machine.
std::optional<AACall> measuredCall(const inputs::Sample& sample, runtime::Measure measure, runtime::Device& device,
                                   const runtime::Cache& cache) {
  Pace pace;
  pace.maxSeconds = mostSeconds;
  AACall found;
  std::vector<std::unique_ptr<Anew>> kept;
  for (int i = 0; i < timesAnew; ++i) {
    kept.push_back(std::make_unique<Anew>(sample, device, cache));
    std::vector<runtime::Trial*> trials;
    for (const auto& trial : kept.back()->trials) {
      trial->prepareFor(measure);
      trials.push_back(trial.get());
    }
    const Measurement measurement = race(trials, measure, device, pace, static_cast<uint64_t>(i));
    if (isBusy(measurement)) return std::nullopt;
    found.seconds = measurement.timings[0].median;
    found.speedups.push_back(measurement.timings[1].ratio.median);
  }
  return found;
}

}  // namespace

std::string aaNoiseKey(std::string_view device, int processors, std::string_view software, runtime::Measure measure,
                       runtime::Flush flush) {
  const bool isRead = measure == runtime::Measure::Cold && flush == runtime::Flush::Read;
  const std::string key = measuredKey("A/A noise 2", device, processors);
  return fmt::format("{}, {}, {}{}", key, software, measure == runtime::Measure::Cold ? "cold" : "back to back",
                     isRead ? ", read flush" : "");
}

AANoise aaNoiseOf(runtime::Device& device, runtime::Flush flush, runtime::Measure measure, const runtime::Cache& cache) {
  if (!cache.isOpen()) return {};
  const std::string key = aaNoiseKey(device.name(), device.target().processors, device.software(), measure, flush);
  const auto text = cache.find(key);
  CachedAANoise cached = (text ? cachedAANoiseOf(*text, now()) : std::nullopt).value_or(CachedAANoise());
  if (cached.processes.size() >= CachedAANoise::enough) return cached.noise();
  AAProcess process{now(), {}};
  for (const inputs::Sample& sample : fixedSamples(device.target().backend == ir::Backend::Cuda)) {
    std::optional<AACall> call = measuredCall(sample, measure, device, cache);
    if (!call) return cached.noise();
    process.calls.push_back(std::move(*call));
  }
  cached.processes.push_back(std::move(process));
  cache.put(key, toText(cached));
  return cached.noise();
}

void keepAANoise(const AANoise& byRun, const std::string& key, const runtime::Cache& cache) {
  const auto text = cache.find(key);
  CachedAANoise cached = (text ? cachedAANoiseOf(*text, now()) : std::nullopt).value_or(CachedAANoise());
  for (size_t i = 0; i < durationClasses; ++i)
    if (byRun.shares[i]) cached.byRun.shares[i] = byRun.shares[i];
  cache.put(key, toText(cached));
}

}  // namespace opbench
