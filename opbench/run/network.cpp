#include "opbench/run/network.h"

#include "inputs/operator_name.h"
#include "opbench/check/correctness_check.h"
#include "opbench/measure/device/ceilings.h"
#include "opbench/run/outcome.h"
#include "runtime/flops/flop_count.h"

namespace opbench {

Criterion criterionOf(const runtime::Workload& workload, const inputs::Sample& sample, const Bench& bench) {
  if (!inputs::isNetwork(sample.op)) return criterionOf(workload, sample.op, bench.tolerances);
  NetworkRun run{bench.options.dtype, false, bench.device.target().backend != ir::Backend::Cpu, bench.options.cosine};
  for (const ir::NamedArgument& keyword : sample.kwargs) {
    const auto* word = keyword.value.as<std::string>();
    if (word == nullptr) continue;
    if (keyword.name == "amp") run.isAutocast = true;
    if (keyword.name == "dtype") run.dtype = ir::dtypeFromTorchName(*word).value_or(run.dtype);
  }
  return bench.tolerances.criterionFor(sample.op, run);
}

void countProducts(runtime::Workload& workload, Row& row, const Bench& bench) {
  if (!workload.reference()) return;
  attempt({}, "", [&] {
    for (const auto& [precision, flops] : runtime::countFlops([&] { workload.runEager(); }))
      row.products.push_back({precision, flops});
    if (!bench.options.timing) return;
    for (Products& each : row.products) each.peak = productRate(each.precision, bench.device, bench.cache);
  });
}

void traceMemory(runtime::Workload& workload, Row& row, const Bench& bench) {
  attempt({}, "", [&] {
    const std::unique_ptr<runtime::MemoryWatch> watch = bench.device.watchMemory();
    row.memoryTrace = workload.traceMemory(*watch);
  });
}

}  // namespace opbench
