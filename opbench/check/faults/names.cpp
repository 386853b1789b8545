#include <algorithm>
#include <array>
#include <utility>

#include "opbench/check/faults/fault.h"

namespace opbench {
namespace {

constexpr std::array<std::pair<Fault, std::string_view>, 34> names{{{Fault::UnwrittenTail, "unwritten-tail"},
                                                                    {Fault::OffByOne, "off-by-one"},
                                                                    {Fault::F16Accumulation, "f16-accumulation"},
                                                                    {Fault::StaleOutput, "stale-output"},
                                                                    {Fault::CachedResult, "cached-result"},
                                                                    {Fault::Zeros, "zeros"},
                                                                    {Fault::DropMaximum, "drop-maximum"},
                                                                    {Fault::OnePassVariance, "one-pass-variance"},
                                                                    {Fault::ShortSum, "short-sum"},
                                                                    {Fault::SparseSum, "sparse-sum"},
                                                                    {Fault::SwallowNan, "swallow-nan"},
                                                                    {Fault::LastTie, "last-tie"},
                                                                    {Fault::UnstableSort, "unstable-sort"},
                                                                    {Fault::NegativeZero, "negative-zero"},
                                                                    {Fault::UnwrittenOutput, "unwritten-output"},
                                                                    {Fault::WritesInput, "writes-input"},
                                                                    {Fault::ReadsPastEnd, "reads-past-end"},
                                                                    {Fault::OneAlignment, "one-alignment"},
                                                                    {Fault::OneShape, "one-shape"},
                                                                    {Fault::NarrowI64, "narrow-i64"},
                                                                    {Fault::DroppedBarrier, "dropped-barrier"},
                                                                    {Fault::Slow, "slow"},
                                                                    {Fault::ScaledGradient, "scaled-gradient"},
                                                                    {Fault::DroppedBias, "dropped-bias"},
                                                                    {Fault::StaleStatistic, "stale-statistic"},
                                                                    {Fault::OtherMask, "other-mask"},
                                                                    {Fault::SkippedStep, "skipped-step"},
                                                                    {Fault::SwappedSteps, "swapped-steps"},
                                                                    {Fault::StaleValue, "stale-value"},
                                                                    {Fault::LostOutput, "lost-output"},
                                                                    {Fault::OtherGroup, "other-group"},
                                                                    {Fault::DroppedWrite, "dropped-write"},
                                                                    {Fault::SwappedVersions, "swapped-versions"},
                                                                    {Fault::EarlyStore, "early-store"}}};

}  // namespace

std::string_view name(Fault fault) {
  return std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == fault; })->second;
}

std::optional<Fault> faultFromName(std::string_view text) {
  for (const auto& [fault, spelling] : names)
    if (spelling == text) return fault;
  return std::nullopt;
}

std::vector<std::string> faultNames() {
  std::vector<std::string> all;
  for (const auto& entry : names) all.emplace_back(entry.second);
  return all;
}

}  // namespace opbench
