#include "opbench/results/record.h"

namespace opbench::results {
namespace {

struct DispositionRow {
  std::string_view status;
  Disposition disposition;
};

constexpr DispositionRow rows[] = {
    {"ok", Disposition::Measured},    {"wrong", Disposition::Wrong},           {"error", Disposition::Failed},
    {"crash", Disposition::Failed},   {"timeout", Disposition::Failed},        {"oom", Disposition::Failed},
    {"assert", Disposition::Failed},  {"impossible", Disposition::Impossible}, {"unsupported", Disposition::Unmeasured},
    {"suspect", Disposition::Failed}, {"skipped", Disposition::Unmeasured}};

}  // namespace

std::optional<Disposition> dispositionOf(std::string_view status, bool hasTime) {
  for (const DispositionRow& row : rows) {
    if (row.status != status) continue;
    return row.disposition == Disposition::Measured && !hasTime ? Disposition::Unmeasured : row.disposition;
  }
  return std::nullopt;
}

}  // namespace opbench::results
