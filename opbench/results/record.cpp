#include "opbench/results/record.h"

namespace opbench::results {
namespace {

struct Row {
  std::string_view status;
  Fate fate;
};

constexpr Row rows[] = {{"ok", Fate::Measured},       {"wrong", Fate::Wrong},           {"error", Fate::Failed},
                        {"crash", Fate::Failed},      {"timeout", Fate::Failed},        {"oom", Fate::Failed},
                        {"assert", Fate::Failed},     {"impossible", Fate::Impossible}, {"unsupported", Fate::Unmeasured},
                        {"skipped", Fate::Unmeasured}};

}  // namespace

std::optional<Fate> fateOf(std::string_view status, bool hasTime) {
  for (const Row& row : rows) {
    if (row.status != status) continue;
    return row.fate == Fate::Measured && !hasTime ? Fate::Unmeasured : row.fate;
  }
  return std::nullopt;
}

}  // namespace opbench::results
