#include "opbench/measure/device/streaming.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "codegen/compile.h"
#include "inputs/sample.h"
#include "opbench/measure/device/cached_ceilings.h"
#include "opbench/measure/race.h"
#include "opbench/text/time.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/workloads/call.h"

namespace opbench {
namespace {

using Json = nlohmann::json;

constexpr int64_t mib = int64_t{1} << 20, never = int64_t{1} << 50;
/// From what the L2 caches of two small cores hold to more than the last level of most machines.
constexpr int64_t leastTried = 2 * mib, mostTried = 128 * mib;

/// The gain for a call that reads and writes `bytes` in all.
double gainOf(int64_t bytes, runtime::Device& device, const runtime::Cache& cache) {
  const std::string text = fmt::format("Operator: aten.neg.default\ncnt: 1, ((T([{}], f32),), {{}})\n", bytes / 8);
  runtime::Call call(inputs::parseFile(text, "streaming", "").samples.at(0), device, 0);
  const ir::Graph graph = call.graph(call.runEager());
  const auto callableOf = [&](int64_t streamedBytes) {
    ir::Target target = device.target();
    target.streamedBytes = streamedBytes;
    return runtime::plannedCallable(call, codegen::compile(graph, target), device, cache);
  };
  const runtime::CallablePtr usual = callableOf(never), streamed = callableOf(1);
  const auto usualTrial = device.prepare(*usual, call), streamedTrial = device.prepare(*streamed, call);
  const std::vector<runtime::Trial*> trials{usualTrial.get(), streamedTrial.get()};
  Pace pace;
  pace.maxSeconds = 0.06;
  for (runtime::Trial* trial : trials) trial->prepareFor(runtime::Measure::BackToBack);
  const Measurement measured = race(trials, runtime::Measure::BackToBack, device, pace, 0);
  return measured.timings[1].ratio.median;
}

}  // namespace

int64_t streamedBytesOf(const std::vector<StreamingGain>& gains) {
  constexpr double worthIt = 1.03;
  int64_t least = never;
  for (auto one = gains.rbegin(); one != gains.rend() && one->gain >= worthIt; ++one) least = one->bytes;
  return least - 1;
}

std::string streamedKey(runtime::Device& device) {
  return fmt::format("{}, {}", measuredKey("streamed stores 1", device.name(), device.target().processors), device.software());
}

std::string streamedText(int64_t bytes, int64_t measured) { return Json{{"bytes", bytes}, {"measured", measured}}.dump(); }

std::optional<int64_t> streamedBytesIn(std::string_view text, int64_t now) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto numberOf = [&](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
  };
  const int64_t bytes = numberOf("bytes"), measured = numberOf("measured");
  return bytes > 0 && bytes <= never && isRecent(measured, now) ? std::optional(bytes) : std::nullopt;
}

std::optional<int64_t> streamedBytesOf(runtime::Device& device, const runtime::Cache& cache) {
  if (device.target().backend != ir::Backend::Cpu) return std::nullopt;
  const std::string key = streamedKey(device);
  if (const auto text = cache.find(key))
    if (const auto bytes = streamedBytesIn(*text, now())) return bytes;
  std::vector<StreamingGain> gains;
  for (int64_t bytes = leastTried; bytes <= mostTried; bytes *= 2) gains.push_back({bytes, gainOf(bytes, device, cache)});
  const int64_t bytes = streamedBytesOf(gains);
  cache.put(key, streamedText(bytes, now()));
  return bytes;
}

}  // namespace opbench
