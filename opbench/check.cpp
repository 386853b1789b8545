#include "opbench/check.h"

#include <fmt/format.h>

namespace opbench {

Verdict check(const runtime::TensorList& found, const Truth& truth, Rule rule) {
  if (found.size() != truth.eager.size())
    return {false, fmt::format("{} outputs where eager has {}", found.size(), truth.eager.size())};
  for (int i = 0; i < found.size(); ++i) {
    const double limit = tolerance(truth.eager.type(i).dtype, static_cast<bool>(truth.float64));
    const Verdict verdict = judge(runtime::compare(found, truth.eager, truth.float64, i, limit), rule, i);
    if (!verdict.ok) return verdict;
  }
  return {};
}

}  // namespace opbench
