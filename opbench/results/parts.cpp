#include "opbench/results/parts.h"

namespace opbench::results {
namespace {

const std::vector<Field<Tried>>& triedFields() {
  static const std::vector<Field<Tried>> fields{whole<Tried>("kernel", OF(kernel)), text<Tried>("schedule", OF(schedule)),
                                                number<Tried>("us", OF(seconds), microseconds, 3)};
  return fields;
}

const std::vector<Field<TriedLibrary>>& triedLibraryFields() {
  static const std::vector<Field<TriedLibrary>> fields{text<TriedLibrary>("library", OF(library)),
                                                       number<TriedLibrary>("us", OF(seconds), microseconds, 3)};
  return fields;
}

const std::vector<Field<runtime::KernelCounters>>& kernelCountersFields() {
  using K = runtime::KernelCounters;
  static const std::vector<Field<K>> fields{text<K>("kernel", OF(kernel)),
                                            exactNumber<K>("dram_bytes_read", OF(bytesRead)),
                                            exactNumber<K>("dram_bytes_written", OF(bytesWritten)),
                                            number<K>("l2_hits", OF(l2Hits), one, 5),
                                            number<K>("tensor_active", OF(tensorActive), one, 5),
                                            number<K>("issue_active", OF(issueActive), one, 5),
                                            text<K>("stall", OF(stall)),
                                            number<K>("stall_share", OF(stallShare), one, 5)};
  return fields;
}

/// What follows from the runs of a phase.
Field<Phase> derivedOfRuns(const char* name, std::optional<double> (*seconds)(const std::vector<double>&)) {
  return {name,
          [=](OrderedJson& object, const Phase& phase) {
            const auto value = seconds(phase.runs);
            object[name] = value ? OrderedJson(rounded(*value * microseconds.written, 3)) : OrderedJson(nullptr);
          },
          [](const Fields&, Phase&) {}};
}

}  // namespace

const std::vector<Field<Histogram>>& histogramFields() {
  static const std::vector<Field<Histogram>> fields{number<Histogram>("low_us", OF(low), microseconds, 3),
                                                    number<Histogram>("high_us", OF(high), microseconds, 3),
                                                    wholes<Histogram>("counts", OF(counts))};
  return fields;
}

const std::vector<Field<Phase>>& phaseFields() {
  using Runs = const std::vector<double>&;
  static const std::vector<Field<Phase>> fields{
      text<Phase>("name", OF(name)), derivedOfRuns("median_us", [](Runs runs) { return std::optional(median(runs)); }),
      derivedOfRuns("mean_us", [](Runs runs) { return std::optional(momentsOf(runs).mean); }),
      derivedOfRuns("std_us", [](Runs runs) { return momentsOf(runs).deviation; }),
      numbers<Phase>("runs_us", OF(runs), microseconds, 3)};
  return fields;
}

const std::vector<Field<Tuning>>& tuningFields() {
  static const std::vector<Field<Tuning>> fields{
      whole<Tuning>("candidates", OF(candidates), 1), number<Tuning>("gain", OF(gain), one, 4, 1),
      flag<Tuning>("stored", OF(isStored)), objects<Tuning, Tried>("tried", OF(tried), triedFields),
      texts<Tuning>("refused", OF(refused))};
  return fields;
}

const std::vector<Field<LibraryTrial>>& libraryTrialFields() {
  using L = LibraryTrial;
  static const std::vector<Field<L>> fields{text<L>("library", OF(library)), number<L>("gain", OF(gain), one, 4, 1),
                                            objects<L, TriedLibrary>("tried", OF(tried), triedLibraryFields),
                                            texts<L>("refused", OF(refused)), flag<L>("stored", OF(isStored))};
  return fields;
}

const std::vector<Field<Products>>& productFields() {
  static const std::vector<Field<Products>> fields{requiredText<Products>("precision", OF(precision)),
                                                   whole<Products>("flops", OF(flops)),
                                                   numberIfKnown<Products>("peak_tflops", OF(peak), tera, 6)};
  return fields;
}

const std::vector<Field<Accuracy>>& accuracyFields() {
  using A = Accuracy;
  static const std::vector<Field<A>> fields{whole<A>("output", OF(output)),
                                            finite<A>("max_ulp", OF(maxUlp)),
                                            finite<A>("rmse", OF(rmse)),
                                            finite<A>("eager_rmse", OF(eagerRmse)),
                                            finite<A>("cosine", OF(cosine)),
                                            wholes<A>("worst_index", OF(worst)),
                                            finite<A>("worst_found", OF(worstFound)),
                                            finite<A>("worst_expected", OF(worstExpected)),
                                            finite<A>("worst_error", OF(worstError)),
                                            finite<A>("eager_worst_error", OF(worstErrorEager))};
  return fields;
}

const std::vector<Field<runtime::MemoryPeaks>>& memoryFields() {
  using M = runtime::MemoryPeaks;
  static const std::vector<Field<M>> fields{whole<M>("allocated", OF(allocated)), wholeIfKnown<M>("reserved", OF(reserved)),
                                            wholeIfKnown<M>("process", OF(process)), wholeIfKnown<M>("device", OF(device)),
                                            wholeIfKnown<M>("host", OF(host))};
  return fields;
}

const std::vector<Field<runtime::MemoryLine>>& memoryLineFields() {
  using M = runtime::MemoryLine;
  static const std::vector<Field<M>> fields{requiredText<M>("name", OF(name)), signedWhole<M>("added", OF(added)),
                                            signedWhole<M>("current", OF(current)), signedWhole<M>("peak", OF(peak))};
  return fields;
}

const std::vector<Field<runtime::Counters>>& countersFields() {
  using C = runtime::Counters;
  static const std::vector<Field<C>> fields{objects<C, runtime::KernelCounters>("kernels", OF(kernels), kernelCountersFields),
                                            text<C>("missing", OF(missing))};
  return fields;
}

}  // namespace opbench::results
