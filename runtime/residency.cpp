#include "runtime/residency.h"

#include <algorithm>

#include "ir/error.h"

namespace runtime {

int largestActiveCluster(const ir::Target& target, const std::function<int64_t(int)>& active) {
  int ctas = target.clusterCtas;
  while (ctas > 1 && active(ctas) == 0) ctas /= 2;
  return ctas;
}

bool hasHardwareClusters(const ir::Launch& launch) { return launch.cluster > 1 && !launch.isPersistent; }

int64_t startedCtas(const codegen::Program& program, const Residency& room) {
  const ir::Launch& launch = program.launch;
  const int64_t all = launch.grid * launch.cluster;
  if (hasHardwareClusters(launch) && room.clusters == 0)
    ir::fail(ir::ErrorKind::Unsupported, "the kernel {} has clusters of {} CTAs; the device has room for none", program.name,
             launch.cluster);
  if (!launch.isPersistent) return all;
  if (room.ctas < launch.cluster)
    ir::fail(ir::ErrorKind::Unsupported, "the kernel {} needs {} CTAs at once; the device has room for {}", program.name,
             launch.cluster, room.ctas);
  return std::min(all, room.ctas);
}

}  // namespace runtime
