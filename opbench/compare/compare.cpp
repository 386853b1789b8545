#include "opbench/compare/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "opbench/compare/evidence.h"
#include "opbench/compare/phrases.h"

namespace opbench::compare {
namespace {

using results::Disposition;
using results::Record;
using results::Results;

Verdict verdictOf(Change change) {
  switch (change) {
    case Change::Faster: return Verdict::Fast;
    case Change::Slower: return Verdict::Slow;
    case Change::Same: return Verdict::Same;
    case Change::Ambiguous: return Verdict::Ambiguous;
  }
  return Verdict::Ambiguous;
}

/// The verdict where not both are measured; nothing where neither file says anything of the sample.
std::optional<Verdict> verdictOf(Disposition before, Disposition after) {
  const auto isBad = [](Disposition disposition) {
    return disposition == Disposition::Wrong || disposition == Disposition::Failed || disposition == Disposition::Impossible;
  };
  if (isBad(before) && isBad(after)) return Verdict::Unfixed;
  switch (after) {
    case Disposition::Measured: return isBad(before) ? Verdict::Fixed : Verdict::New;
    case Disposition::Wrong: return Verdict::Wrong;
    case Disposition::Failed: return Verdict::Crash;
    case Disposition::Impossible: return Verdict::Impossible;
    case Disposition::Unmeasured: break;
  }
  return before == Disposition::Unmeasured ? std::nullopt : std::optional(Verdict::Gone);
}

/// Fills Comparison::rows.
class Comparing {
 public:
  Comparing(Comparison& comparison, const Results& base, const Results& candidate, const Matching& matching,
            const Witness& witness, bool controlIsAlone)
      : comparison_(comparison),
        base_(base),
        candidate_(candidate),
        matching_(matching),
        witness_(witness),
        controlIsAlone_(controlIsAlone) {}

  void run() {
    for (const Record& record : candidate_.records) add(matching_.inBase(record), &record);
    for (const Record& record : base_.records)
      if (!matching_.inCandidate(record)) add(&record, nullptr);
  }

 private:
  void add(const Record* base, const Record* candidate) {
    Compared row;
    row.base = base;
    row.candidate = candidate;
    if (isControl(row.any()) && !controlIsAlone_) return;
    if (isMeasured(base) && isMeasured(candidate)) {
      judgeTimes(row);
    } else {
      const auto disposition = [](const Record* record) { return record ? record->disposition : Disposition::Unmeasured; };
      const auto verdict = verdictOf(disposition(base), disposition(candidate));
      if (!verdict) return;
      row.verdict = *verdict;
    }
    comparison_.rows.push_back(row);
  }

  void judgeTimes(Compared& row) const {
    const Evidence evidence = witness_(*row.base, *row.candidate);
    const Judgement judgement = judge(evidence);
    row.verdict = verdictOf(judgement.change);
    row.ambiguity = judgement.ambiguity;
    row.timeRatio = *row.candidate->median / *row.base->median;
    row.ratio = ratio(judgement.basis);
    row.isOverEager = evidence.paired.has_value();
    if (!evidence.isUnknown) row.interval = ratioInterval(judgement.basis);
    row.isNoisy = evidence.isNoisy;
    row.gap = std::expm1(judgement.basis.gap());
  }

  Comparison& comparison_;
  const Results& base_;
  const Results& candidate_;
  const Matching& matching_;
  const Witness& witness_;
  bool controlIsAlone_;
};

bool isControlAlone(const Results& results) { return std::all_of(results.records.begin(), results.records.end(), isControl); }

/// Whether any measured record lacks what `has` looks for.
template <typename Has>
bool anyLacks(const Results& results, const Has& has) {
  return std::any_of(results.records.begin(), results.records.end(),
                     [&](const Record& record) { return isMeasured(&record) && !has(record); });
}

/// Samples that were measured, though not when they were raced first.
size_t retriedSamples(const Results& results) {
  std::set<std::pair<std::string, std::string>> samples;
  for (const Record& record : results.records)
    if (!record.retried.empty() && isMeasured(&record)) samples.emplace(record.op, record.sample);
  return samples.size();
}

/// `2 samples scatter by more than 10%: run them again: aten.silu.default f32[8]; ...`; empty where none does.
std::string noisyNote(const Comparison& comparison) {
  constexpr size_t mostNamed = 5;
  std::vector<std::string> names;
  for (const Compared& row : comparison.rows) {
    const std::string name = row.any().op + " " + sampleText(row.any());
    if (row.isNoisy && (names.empty() || names.back() != name)) names.push_back(name);
  }
  if (names.empty()) return "";
  const size_t named = std::min(names.size(), mostNamed);
  std::string text =
      fmt::format("{} sample{} by more than {:.0f}%: run {} again: {}", names.size(),
                  names.size() == 1 ? " scatters" : "s scatter", 100 * Control::noisy, names.size() == 1 ? "it" : "them",
                  fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(named), "; "));
  return names.size() > named ? fmt::format("{}; and {} more", text, names.size() - named) : text;
}

void addNotes(Comparison& comparison, bool areRunsKnown) {
  comparison.notes = environmentNotes(comparison.base, comparison.candidate);
  for (const Results* results : {&comparison.base, &comparison.candidate}) {
    if (anyLacks(*results, [](const Record& r) { return r.medianInterval.has_value(); }))
      comparison.notes.push_back(results->file +
                                 " has no intervals of its medians; the wider 20th to 80th percentile of the runs "
                                 "is used");
    if (!areRunsKnown && anyLacks(*results, [](const Record& r) { return r.aaNoise.has_value(); }))
      comparison.notes.push_back(results->file + " has no A/A noise; run --aa once on the device to measure it");
    if (anyLacks(*results, [](const Record& r) { return r.device == "cpu" || r.clockMhz; }))
      comparison.notes.push_back(results->file + " has no clocks; times are not confirmed in cycles");
    if (const size_t count = retriedSamples(*results))
      comparison.notes.push_back(fmt::format("{} has {} sample{} that failed and {} raced once more", results->file, count,
                                             count == 1 ? "" : "s", count == 1 ? "was" : "were"));
  }
  if (!areRunsKnown && comparison.control.samples() < Control::least) {
    const bool isOfCpu = !anyLacks(comparison.base, [](const Record& r) { return r.device == "cpu"; });
    comparison.notes.push_back(
        "fewer than 9 samples have eager to compare with in both files: how far the machine drifted and the same code scatters "
        "is unknown" +
        std::string(isOfCpu ? "; changes of less than 20% are ambiguous, unless there are several runs of each build (BASE.. -- "
                              "CANDIDATE..)"
                            : ""));
  }
  if (const std::string note = noisyNote(comparison); !note.empty()) comparison.notes.push_back(note);
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::Fast: return "FAST";
    case Verdict::Slow: return "SLOW";
    case Verdict::Same: return "same";
    case Verdict::Ambiguous: return "ambiguous";
    case Verdict::New: return "new";
    case Verdict::Gone: return "gone";
    case Verdict::Wrong: return "WRONG";
    case Verdict::Crash: return "CRASH";
    case Verdict::Impossible: return "IMPOSSIBLE";
    case Verdict::Fixed: return "fixed";
    case Verdict::Unfixed: return "unfixed";
  }
  return "";
}

Comparison compare(std::vector<Results> base, std::vector<Results> candidate) {
  Pool before = poolOf(std::move(base)), after = poolOf(std::move(candidate));
  Comparison comparison;
  const Matching matching(before.results, after.results);
  const bool controlIsAlone = isControlAlone(before.results) && isControlAlone(after.results);
  const Witness witness(before, after, matching, controlIsAlone);
  Comparing(comparison, before.results, after.results, matching, witness, controlIsAlone).run();
  comparison.control = witness.control();
  // The records that rows point to stay where they are.
  comparison.base = std::move(before.results);
  comparison.candidate = std::move(after.results);
  addNotes(comparison, witness.areRunsKnown());
  return comparison;
}

Comparison compare(Results base, Results candidate) {
  std::vector<Results> before, after;
  before.push_back(std::move(base));
  after.push_back(std::move(candidate));
  return compare(std::move(before), std::move(after));
}

}  // namespace opbench::compare
