#include "opbench/compat/habits.h"

#include <algorithm>

#include "ir/error.h"

namespace opbench {
namespace {

/// Operators whose names hold one of these are skipped, as operatorbench has no inputs for them.
constexpr std::string_view withoutInputs[] = {"aten.gather.default", "nll_loss", "aten.index", "aten.scatter_",
                                              "masked_fill_.Scalar"};

}  // namespace

void adoptOperatorbench(Options& options, const std::function<bool(const char*)>& isGiven) {
  constexpr int repeats = 3;
  if (options.suites.size() > 1)
    ir::fail(ir::ErrorKind::Input, "--compat operatorbench takes one suite, got {}", options.suites.size());
  if (options.suites.empty() && options.inputs.empty()) options.suites = {"torchbench"};
  if (!isGiven("--sample-mode")) options.sampleMode = SampleMode::First;
  if (!isGiven("--repeats")) options.repeats = repeats;
}

std::string_view whyOperatorbenchSkips(std::string_view op, bool hasLowering) {
  const auto isIn = [&](std::string_view part) { return op.find(part) != std::string_view::npos; };
  if (std::any_of(std::begin(withoutInputs), std::end(withoutInputs), isIn)) return "input generator nyi";
  if (op == "aten._unsafe_view.default") return "non compute operator";
  if (!hasLowering) return "no opbench impl";
  return isIn("convolution") ? "convolution" : "";
}

}  // namespace opbench
