#include <algorithm>

#include "opbench/measure/device/ceilings.h"

namespace opbench {

double rooflineSeconds(const Ceilings& ceilings, int64_t bytes, double flops) {
  if (ceilings.copy <= 0) return 0;
  const double moving = static_cast<double>(bytes) / ceilings.copy;
  return std::max(moving, ceilings.flops > 0 ? flops / ceilings.flops : 0);
}

}  // namespace opbench
