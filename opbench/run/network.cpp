#include "opbench/run/network.h"

#include "opbench/measure/ceilings.h"
#include "opbench/run/outcome.h"
#include "runtime/flops/flop_count.h"

namespace opbench {

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
