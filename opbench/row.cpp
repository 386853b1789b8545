#include "opbench/row.h"

namespace opbench {

std::string_view name(Status status) {
  switch (status) {
    case Status::Ok: return "ok";
    case Status::Wrong: return "wrong";
    case Status::Unsupported: return "unsupported";
    case Status::Error: return "error";
    case Status::Skipped: return "skipped";
  }
  return "";
}

void derive(Row& row, double copyBandwidth) {
  if (row.outcomes.empty()) return;
  const auto& first = row.outcomes.front().timing;
  const double baseline = first ? first->median : 0;
  for (Outcome& outcome : row.outcomes) {
    if (!outcome.timing || outcome.timing->median <= 0) continue;
    const double seconds = outcome.timing->median;
    if (baseline > 0) outcome.speedup = baseline / seconds;
    if (outcome.kind == runtime::Kind::View) continue;
    outcome.bytesPerSecond = static_cast<double>(row.bytes) / seconds;
    if (copyBandwidth > 0) outcome.ofCopy = *outcome.bytesPerSecond / copyBandwidth;
  }
}

}  // namespace opbench
