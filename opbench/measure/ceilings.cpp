#include "opbench/measure/ceilings.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/compile.h"
#include "inputs/sample.h"
#include "ir/error.h"
#include "opbench/measure/cached_ceilings.h"
#include "opbench/measure/race.h"
#include "runtime/torch/call.h"

namespace opbench {
namespace {

using runtime::Measure;

bool isCuda(const runtime::Device& device) { return device.target().backend == ir::Backend::Cuda; }

/// Elements of the large arrays: many times what the caches hold.
int64_t elements(const runtime::Device& device) { return int64_t{1} << (isCuda(device) ? 28 : 25); }

/// Rows of the matrices of the product.
int64_t order(const runtime::Device& device) { return isCuda(device) ? 4096 : 1024; }

inputs::Sample sampleOf(const std::string& op, const std::string& arguments) {
  inputs::Samples read = inputs::parseFile(fmt::format("Operator: {}\ncnt: 1, ({}, {{}})\n", op, arguments), "ceilings", "");
  ir::require(read.samples.size() == 1, "the sample of {} cannot be read", op);
  return read.samples.front();
}

/// The time of a call on data drawn for it: by generated kernels where it is lowered, else by ATen.
double secondsOf(const std::string& op, const std::string& arguments, runtime::Device& device, const runtime::Cache& cache) {
  runtime::Call call(sampleOf(op, arguments), device, 0);
  const ir::Graph graph = call.graph(call.runEager());
  const runtime::CallablePtr callable = runtime::plannedCallable(call, codegen::compile(graph, device.target()), device, cache);
  const auto trial = device.prepare(*callable, call);
  Pace pace;
  pace.maxSeconds = 0.05;
  pace.leastPairs = 5;
  const Measure measure = isCuda(device) ? Measure::Cold : Measure::BackToBack;
  trial->prepareFor(measure);
  return settledSeconds([&] { return race({trial.get()}, measure, device, pace, 0).timings.front().median; });
}

Ceilings measure(runtime::Device& device, const runtime::Cache& cache) {
  const auto n = static_cast<double>(elements(device));
  const auto rows = static_cast<double>(order(device));
  const std::string array = fmt::format("(T([{}], f32),)", elements(device));
  const std::string matrix = fmt::format("T([{0}, {0}], f32)", order(device));
  Ceilings ceilings;
  ceilings.copy = 8 * n / secondsOf("aten.neg.default", array, device, cache);
  ceilings.read = 4 * n / secondsOf("aten.sum.default", array, device, cache);
  ceilings.flops = 2 * rows * rows * rows / secondsOf("aten.mm.default", fmt::format("({0}, {0})", matrix), device, cache);
  ceilings.launchOverhead = secondsOf("aten.zeros_like.default", "(T([1], f32),)", device, cache);
  return ceilings;
}

std::optional<CachedCeilings> findCached(runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache) {
  const auto text = cache.find(ceilingsKey(device, flush));
  return text ? cachedCeilingsOf(*text, now()) : std::nullopt;
}

}  // namespace

std::string measuredKey(std::string_view what, std::string_view device, int processors) {
  return fmt::format("{}: {}, {} processors", what, device, processors);
}

// The number is that of the format; with another one all is measured anew.
std::string ceilingsKey(runtime::Device& device, runtime::Flush flush) {
  const bool isRead = isCuda(device) && flush == runtime::Flush::Read;
  const std::string key =
      measuredKey(isRead ? "ceilings 3, read flush" : "ceilings 3", device.name(), device.target().processors);
  return fmt::format("{}, {}", key, device.software());
}

Ceilings highest(const Ceilings& a, const Ceilings& b) {
  return {std::max(a.copy, b.copy), std::max(a.read, b.read), std::max(a.flops, b.flops),
          std::min(a.launchOverhead, b.launchOverhead)};
}

Ceilings ceilingsOf(runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache) {
  if (const auto cached = findCached(device, flush, cache)) return cached->ceilings;
  const Ceilings ceilings = measure(device, cache);
  cache.put(ceilingsKey(device, flush), toText(CachedCeilings{ceilings, now()}));
  return ceilings;
}

Ceilings raise(const Ceilings& earlier, runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache) {
  const Ceilings better = highest(earlier, measure(device, cache));
  const auto cached = findCached(device, flush, cache);
  cache.put(ceilingsKey(device, flush), toText(CachedCeilings{better, cached ? cached->measured : now()}));
  return better;
}

}  // namespace opbench
