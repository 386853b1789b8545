#include "opbench/report/networks/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "opbench/report/phrases.h"
#include "opbench/report/remarks.h"

namespace opbench::report {
namespace {

/// `1.20 ms`, and below it how the runs scatter: `1.18..1.31`, in the same unit.
struct PhaseCells {
  Cell median, range;
};

PhaseCells cellsOf(const std::vector<double>& runs) {
  const Quantiles quantiles = opbench::quantiles(runs);
  return {{time(quantiles.p50)}, {fmt::format("{}..{}", time(quantiles.p20), time(quantiles.p80)), Tone::Faint}};
}

/// Why there is no time; else what else is worth knowing.
Cell noteOf(const Outcome& outcome, const Row& row) {
  if (outcome.status != Status::Ok) return {outcome.reason, Tone::Bad};
  std::string note = outcome.library;
  if (!outcome.reason.empty()) note += (note.empty() ? "" : ", ") + outcome.reason;
  if (isDisturbed(row)) note += note.empty() ? "disturbed by other programs" : ", disturbed by other programs";
  return {note, Tone::Faint};
}

/// The first contender's time over this one's, with its interval; nothing between times of unequal precision.
Cell speedupOf(const Outcome& outcome, const Row& row) {
  if (outcome.timing && !outcome.speedup) return {"-"};
  if (outcome.timing && &outcome == &row.outcomes.front()) return {"1.00x"};
  return {speedupText(outcome), outcome.speedup ? toneOfSpeedup(*outcome.speedup) : Tone::Plain};
}

std::string megabytes(int64_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6); }

Columns columnsOfPhases(const Row& row, const std::vector<std::string>& phases, const Layout& layout) {
  size_t longest = 0;
  for (const Outcome& outcome : row.outcomes) longest = std::max(longest, name(outcome.contender).size());
  std::vector<Column> columns;
  for (const std::string& phase : phases) {
    columns.push_back({phase, 12, 0});
    columns.push_back({"p20..p80", 22, 2});
  }
  columns.push_back({"speedup", 15, 0});
  columns.push_back({"precision", 11, 0});
  columns.push_back({"memory", 10, 1});
  return {"creator", static_cast<int>(longest), std::move(columns), "notes", layout.room, layout.colour};
}

/// The phases of the first contender that was timed, as all have.
std::vector<std::string> phasesOf(const Row& row) {
  for (const Outcome& outcome : row.outcomes) {
    if (!outcome.timing) continue;
    std::vector<std::string> names;
    for (const Phase& phase : outcome.timing->phases) names.push_back(phase.name);
    return names;
  }
  return {};
}

/// Whether nobody has a result, all for one reason.
bool failsAlike(const Row& row) {
  const Outcome& first = row.outcomes.front();
  return first.status != Status::Ok && std::all_of(row.outcomes.begin(), row.outcomes.end(), [&](const Outcome& outcome) {
           return outcome.status == first.status && outcome.reason == first.reason;
         });
}

}  // namespace

std::string networkTable(const Row& row, const Run& run, const Layout& layout) {
  const std::vector<std::string> phases = phasesOf(row);
  const Columns columns = columnsOfPhases(row, phases, layout);
  const std::string title = fmt::format("{} of {}\n", row.op, row.brief);
  if (failsAlike(row)) {
    const Outcome& first = row.outcomes.front();
    return title + "    " + toned(fmt::format("{}: {}", name(first.status), first.reason), Tone::Bad, layout.colour) + "\n";
  }
  std::string text = title + columns.heading();
  for (const Outcome& outcome : row.outcomes) {
    std::vector<Cell> cells;
    for (size_t i = 0; i < phases.size(); ++i) {
      const bool hasPhase = outcome.timing && i < outcome.timing->phases.size();
      const PhaseCells phase = hasPhase ? cellsOf(outcome.timing->phases[i].runs) : PhaseCells{{"-"}, {"-"}};
      cells.push_back(phase.median);
      cells.push_back(phase.range);
    }
    cells.push_back(speedupOf(outcome, row));
    cells.push_back({outcome.arithmetic.empty() ? run.dtype : outcome.arithmetic});
    cells.push_back({outcome.memory ? megabytes(outcome.memory->allocated) : "-"});
    text += columns.line(name(outcome.contender), cells, noteOf(outcome, row));
  }
  return text + remarks(row, layout.colour);
}

}  // namespace opbench::report
