#include "opbench/measure/device/ceilings.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <algorithm>

#include "codegen/compile.h"
#include "inputs/sample.h"
#include "ir/error.h"
#include "opbench/measure/device/cached_ceilings.h"
#include "opbench/measure/race.h"
#include "opbench/text/time.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/workloads/call.h"

namespace opbench {
namespace {

using runtime::Measure;

bool isCuda(const runtime::Device& device) { return device.target().backend == ir::Backend::Cuda; }

/// Elements of the array that is negated: many times what the caches hold.
int64_t copiedElements(const runtime::Device& device) { return int64_t{1} << (isCuda(device) ? 28 : 25); }

/// Elements of the array that is summed. On a CPU, whose caches were emptied of it, so few that other programs leave it the time.
int64_t summedElements(const runtime::Device& device) {
  return isCuda(device) ? copiedElements(device) : (int64_t{1} << 21) * device.target().processors;
}

/// Rows, and rows times columns of the other matrix, of the product: on a CPU as few for the same reason.
struct Product {
  int64_t rows, order;
};
Product productOf(const runtime::Device& device) {
  return isCuda(device) ? Product{4096, 4096} : Product{256 * device.target().processors, 512};
}

inputs::Sample sampleOf(const std::string& op, const std::string& arguments) {
  inputs::Samples read = inputs::parseFile(fmt::format("Operator: {}\ncnt: 1, ({}, {{}})\n", op, arguments), "ceilings", "");
  ir::require(read.samples.size() == 1, "the sample of {} cannot be read", op);
  return read.samples.front();
}

/// The time of a call that is carried out so.
Settled settled(runtime::Callable& callable, runtime::Call& call, Measure measure, runtime::Device& device) {
  const auto trial = device.prepare(callable, call);
  Pace pace;
  pace.maxSeconds = 0.05;
  trial->prepareFor(measure);
  Settled found;
  found.seconds = settledSeconds([&] {
    const Measurement measurement = race({trial.get()}, measure, device, pace, 0);
    found.isDisturbed = found.isDisturbed && measurement.isDisturbed;
    return measurement.timings.front().median;
  });
  return found;
}

/// Has a GPU compute products of f32 in TF32, or not, while it lives.
class Tf32 {
 public:
  explicit Tf32(bool isAllowed) : before_(at::globalContext().allowTF32CuBLAS()) {
    at::globalContext().setAllowTF32CuBLAS(isAllowed);
  }
  ~Tf32() { at::globalContext().setAllowTF32CuBLAS(before_); }
  Tf32(const Tf32&) = delete;
  Tf32& operator=(const Tf32&) = delete;

 private:
  bool before_;
};

CachedRate measuredRate(const std::string& precision, runtime::Device& device) {
  const Tf32 products(precision == "tf32");
  const ir::DType dtype = precision == "tf32" ? ir::DType::F32 : ir::dtypeFromTorchName(precision).value();
  const bool isSlow = precision == "float32" || precision == "float64";
  const auto [rows, order] = isCuda(device) && !isSlow ? Product{8192, 8192} : productOf(device);
  const std::string matrices = fmt::format("(T([{0}, {1}], {2}), T([{1}, {1}], {2}))", rows, order, ir::name(dtype));
  runtime::Call call(sampleOf("aten.mm.default", matrices), device, 0);
  const Settled time = settled(*runtime::eagerCallable(call), call, isCuda(device) ? Measure::Cold : Measure::BackToBack, device);
  return {2 * static_cast<double>(rows * order * order) / time.seconds, now(), time.isDisturbed ? 1 : 0};
}

CachedCeilings measured(runtime::Device& device, const runtime::Cache& cache) {
  CachedCeilings found;
  found.measured = now();
  const auto secondsOf = [&](const std::string& op, const std::string& arguments, Measure onCpu) {
    const Settled time = settledOf(op, arguments, isCuda(device) ? Measure::Cold : onCpu, device, cache);
    if (time.isDisturbed) found.disturbed = 1;
    return time.seconds;
  };
  const int64_t copied = copiedElements(device), summed = summedElements(device);
  const auto [rows, order] = productOf(device);
  const std::string matrices = fmt::format("(T([{0}, {1}], f32), T([{1}, {1}], f32))", rows, order);
  Ceilings& ceilings = found.ceilings;
  ceilings.copy = 8 * static_cast<double>(copied) /
                  secondsOf("aten.neg.default", fmt::format("(T([{}], f32),)", copied), Measure::BackToBack);
  ceilings.read =
      4 * static_cast<double>(summed) / secondsOf("aten.sum.default", fmt::format("(T([{}], f32),)", summed), Measure::Cold);
  ceilings.flops = 2 * static_cast<double>(rows * order * order) / secondsOf("aten.mm.default", matrices, Measure::BackToBack);
  ceilings.launchOverhead = secondsOf("aten.zeros_like.default", "(T([1], f32),)", Measure::BackToBack);
  return found;
}

std::optional<CachedCeilings> findCached(runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache) {
  const auto text = cache.find(ceilingsKey(device, flush));
  return text ? cachedCeilingsOf(*text, now()) : std::nullopt;
}

}  // namespace

Settled settledOf(const std::string& op, const std::string& arguments, Measure measure, runtime::Device& device,
                  const runtime::Cache& cache) {
  runtime::Call call(sampleOf(op, arguments), device, 0);
  const ir::Graph graph = call.graph(call.runEager());
  const runtime::CallablePtr callable = runtime::plannedCallable(call, codegen::compile(graph, device.target()), device, cache);
  return settled(*callable, call, measure, device);
}

std::string measuredKey(std::string_view what, std::string_view device, int processors) {
  return fmt::format("{}: {}, {} processors", what, device, processors);
}

// The number in the key is the format's; with another one all is measured anew.
std::string ceilingsKey(runtime::Device& device, runtime::Flush flush) {
  const bool isRead = isCuda(device) && flush == runtime::Flush::Read;
  const std::string key =
      measuredKey(isRead ? "ceilings 4, read flush" : "ceilings 4", device.name(), device.target().processors);
  return fmt::format("{}, {}", key, device.software());
}

Ceilings ceilingsOf(runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache) {
  const auto cached = findCached(device, flush, cache);
  if (cached && !isDue(cached->measured, cached->disturbed, now())) return cached->ceilings;
  CachedCeilings found = measured(device, cache);
  if (cached) {
    found.ceilings = highest(found.ceilings, cached->ceilings);
    found.raised = cached->raised;
    if (found.disturbed > 0) found.disturbed += cached->disturbed;
  }
  cache.put(ceilingsKey(device, flush), toText(found));
  return found.ceilings;
}

Ceilings freshCeilings(runtime::Device& device, const runtime::Cache& cache) { return measured(device, cache).ceilings; }

std::string productRateKey(const std::string& precision, runtime::Device& device) {
  const std::string key = measuredKey("product rate 1, " + precision, device.name(), device.target().processors);
  return fmt::format("{}, {}", key, device.software());
}

double productRate(const std::string& precision, runtime::Device& device, const runtime::Cache& cache) {
  const std::string key = productRateKey(precision, device);
  const auto text = cache.find(key);
  const auto cached = text ? cachedRateOf(*text, now()) : std::nullopt;
  if (cached && !isDue(cached->measured, cached->disturbed, now())) return cached->rate;
  CachedRate found = measuredRate(precision, device);
  const CachedRate before = cached.value_or(CachedRate());
  found.rate = std::max(found.rate, before.rate);
  if (found.disturbed > 0) found.disturbed += before.disturbed;
  cache.put(key, toText(found));
  return found.rate;
}

void keepRaised(const Ceilings& raised, int64_t now, runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache) {
  CachedCeilings kept = findCached(device, flush, cache).value_or(CachedCeilings{{}, now});
  kept.ceilings = raised;
  kept.raised = now;
  cache.put(ceilingsKey(device, flush), toText(kept));
}

}  // namespace opbench
