#include "opbench/run/compilation.h"

#include "runtime/build/hash.h"

namespace opbench {

std::string kernelsOf(const codegen::Plan& plan) {
  std::string sources;
  for (const ir::KernelSource& program : plan.programs) sources += program.source;
  return sources.empty() ? "" : runtime::digest(sources);
}

}  // namespace opbench
