#include "runtime/residency.h"

#include <algorithm>

#include "ir/error.h"

namespace runtime {

int largestActiveCluster(const ir::Target& target, const std::function<int64_t(int)>& active) {
  int ctas = target.clusterCtas;
  while (ctas > 1 && active(ctas) == 0) ctas /= 2;
  return ctas;
}

bool waits(const ir::KernelSource& program) { return program.waitsForGrid || program.launch.isPersistent; }

bool hasHardwareClusters(const ir::KernelSource& program) { return program.launch.cluster > 1 && !program.launch.isPersistent; }

Start startOf(const ir::KernelSource& program, const Residency& room) {
  const ir::Launch& launch = program.launch;
  const int64_t all = launch.grid * launch.cluster, together = program.waitsForGrid ? all : launch.cluster;
  if (hasHardwareClusters(program) && room.clusters == 0)
    ir::fail(ir::ErrorKind::Unsupported, "the kernel {} has clusters of {} CTAs; the device has room for none", program.name,
             launch.cluster);
  if (!waits(program)) return {all, false};
  const int64_t resident = hasHardwareClusters(program) ? std::min(room.ctas, room.clusters * launch.cluster) : room.ctas;
  if (resident < together)
    ir::fail(ir::ErrorKind::Unsupported, "the kernel {} needs {} CTAs at once; the device has room for {}", program.name,
             together, resident);
  return {std::min(all, resident), program.waitsForGrid || room.isShared};
}

}  // namespace runtime
