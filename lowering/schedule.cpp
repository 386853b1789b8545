#include "lowering/schedule.h"

namespace lowering {

ir::Kernel schedule(const ir::Loops& loops, const ir::Target& target) {
  switch (target.backend) {
    case ir::Backend::Cuda: return scheduleCuda(loops, target);
    case ir::Backend::Cpu: return scheduleCpu(loops, target);
  }
  return {};
}

}  // namespace lowering
