#include "opbench/check/chance.h"

#include <fmt/format.h>

#include <algorithm>

namespace opbench {

std::vector<double> sizesOf(const runtime::TensorList& outputs) {
  std::vector<double> sizes;
  for (int i = 0; i < outputs.size(); ++i) sizes.push_back(runtime::compare(outputs, outputs, {}, i, 0).rmsReference);
  return sizes;
}

Verdict judgeByChance(const std::vector<double>& found, const std::vector<std::vector<double>>& runs,
                      const runtime::Workload& workload) {
  for (size_t i = 0; i < found.size(); ++i) {
    std::vector<double> sizes;
    for (const std::vector<double>& run : runs) sizes.push_back(run.at(i));
    const auto [least, largest] = std::minmax_element(sizes.begin(), sizes.end());
    const double room = *largest - *least + 1e-6 * *largest;
    if (found[i] >= *least - room && found[i] <= *largest + room) continue;
    return {false,
            fmt::format("{} has a root mean square of {:.4g}, eager's runs have {:.4g} to {:.4g}",
                        workload.outputName(static_cast<int>(i)), found[i], *least, *largest),
            {}};
  }
  return {};
}

}  // namespace opbench
