#include "opbench/run/compilation.h"

#include "runtime/build/hash.h"

namespace opbench {

std::string kernelsOf(const codegen::Plan& plan) {
  std::string sources;
  for (const codegen::Step& step : plan.steps)
    if (const auto* launch = std::get_if<codegen::LaunchStep>(&step)) sources += launch->program.source;
  return sources.empty() ? "" : runtime::digest(sources);
}

}  // namespace opbench
