#include "opbench/check/chance.h"

#include <fmt/format.h>

#include <algorithm>

namespace opbench {
namespace {

double rootMeanSquare(const runtime::TensorList& outputs, int output) {
  return runtime::compare(outputs, outputs, {}, output, 0).rmsReference;
}

}  // namespace

Verdict judgeByChance(const runtime::TensorList& found, const std::vector<runtime::TensorList>& runs,
                      const runtime::Workload& workload) {
  for (int i = 0; i < found.size(); ++i) {
    std::vector<double> sizes;
    for (const runtime::TensorList& run : runs) sizes.push_back(rootMeanSquare(run, i));
    const auto [least, largest] = std::minmax_element(sizes.begin(), sizes.end());
    const double room = *largest - *least + 1e-6 * *largest, size = rootMeanSquare(found, i);
    if (size >= *least - room && size <= *largest + room) continue;
    return {false,
            fmt::format("{} has a root mean square of {:.4g}, eager's runs have {:.4g} to {:.4g}", workload.outputName(i), size,
                        *least, *largest),
            {}};
  }
  return {};
}

}  // namespace opbench
