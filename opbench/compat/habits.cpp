#include "opbench/compat/habits.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/error.h"

namespace opbench {
namespace {

/// Operators whose names hold one of these are skipped, as operatorbench has no inputs for them.
constexpr std::string_view withoutInputs[] = {"aten.gather.default", "nll_loss", "aten.index", "aten.scatter_",
                                              "masked_fill_.Scalar"};

/// Products, which its compiler lowers to templates of its own: here they are library calls, and raced all the same.
constexpr std::string_view products[] = {"aten.mm.", "aten.addmm.", "aten.bmm.", "aten.baddbmm."};

}  // namespace

void adoptOperatorbench(SelectionSettings& selection, MeasureSettings& measure, const std::function<bool(const char*)>& isGiven) {
  constexpr int repeats = 3;
  if (selection.suites.size() > 1)
    ir::fail(ir::ErrorKind::Input, "--compat operatorbench takes one suite, got {}", selection.suites.size());
  if (selection.suites.empty() && selection.inputs.empty()) selection.suites = {"torchbench"};
  if (!isGiven("--sample-mode")) selection.sampleMode = SampleMode::First;
  if (!isGiven("--repeats")) measure.repeats = repeats;
}

std::string_view whyOperatorbenchSkips(std::string_view op, bool hasLowering) {
  const auto isIn = [&](std::string_view part) { return op.find(part) != std::string_view::npos; };
  if (std::any_of(std::begin(withoutInputs), std::end(withoutInputs), isIn)) return "input generator nyi";
  if (op == "aten._unsafe_view.default") return "non compute operator";
  if (isIn("convolution")) return convolution;
  const bool isProduct = std::any_of(std::begin(products), std::end(products), [&](auto name) { return op.starts_with(name); });
  return hasLowering || isProduct ? "" : "no opbench impl";
}

void dropSkipped(std::vector<inputs::Sample>& samples, const std::function<bool(const std::string&)>& hasLowering,
                 std::ostream& out) {
  std::set<std::string> told;
  std::erase_if(samples, [&](const inputs::Sample& sample) {
    const std::string_view why = whyOperatorbenchSkips(sample.op, hasLowering(sample.op));
    const bool isTold = !why.empty() && why != convolution;
    if (isTold && told.insert(sample.op).second) out << fmt::format("Skipping {}, {}\n", sample.op, why);
    return !why.empty();
  });
  if (samples.empty()) ir::fail(ir::ErrorKind::Input, "--compat operatorbench skips every operator that was asked for");
}

}  // namespace opbench
