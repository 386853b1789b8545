#include "opbench/settings/fault.h"

#include "opbench/text/names.h"

namespace opbench {
namespace {

constexpr auto faultsByName = namesOfEnum<Fault>({{Fault::UnwrittenTail, "unwritten-tail"},
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
                                                  {Fault::EarlyStore, "early-store"},
                                                  {Fault::Overlap, "overlap"},
                                                  {Fault::OneTensor, "one-tensor"},
                                                  {Fault::Neighbour, "neighbour"},
                                                  {Fault::SwappedParts, "swapped-parts"}});

}  // namespace

std::string_view name(Fault fault) { return faultsByName.of(fault); }

std::optional<Fault> faultFromName(std::string_view text) { return faultsByName.from(text); }

std::vector<std::string> faultNames() { return faultsByName.all(); }

}  // namespace opbench
