#pragma once

#include <optional>
#include <string>
#include <vector>

#include "opbench/compare/control.h"
#include "opbench/compare/judge.h"
#include "opbench/results/read.h"

namespace opbench::compare {

/// The verdict on one contender and sample, from the baseline to the candidate.
enum class Verdict {
  Fast,        ///< measured in both; as judge() says
  Slow,        ///<
  Same,        ///<
  Ambiguous,   ///<
  New,         ///< measured in the candidate alone
  Gone,        ///< in the baseline alone, or no longer supported
  Wrong,       ///< a wrong result, where the baseline had none
  Crash,       ///< an error, a crash or a timeout, where the baseline had no failure
  Impossible,  ///< a time that the device cannot reach, where the baseline had no failure
  Fixed,       ///< measured, where the baseline had a failure
  Unfixed,     ///< a failure in both
};
inline constexpr int verdicts = static_cast<int>(Verdict::Unfixed) + 1;

/// `FAST`, `SLOW`, `same`, ...: what asks for attention is in capitals.
std::string_view name(Verdict verdict);

/// A contender on a sample in both files.
struct Compared {
  const results::Record* base = nullptr;       ///< null where the file has none
  const results::Record* candidate = nullptr;  ///< the same; one of them is there
  Verdict verdict = Verdict::Same;
  Ambiguity ambiguity = Ambiguity::None;
  std::optional<double> timeRatio;   ///< candidate's time over the baseline's, where both are measured
  std::optional<double> ratio;       ///< the same by Judgement::basis
  bool isOverEager = false;          ///< whether `ratio` is one of times over eager's: the inverse of the speedups'
  std::optional<Interval> interval;  ///< of `ratio`, 95 %; nothing where too few runs tell none
  double gap = 0;                    ///< the largest difference of the same code, 0.01 being 1 %, where there is a ratio
  bool isNoisy = false;              ///< Evidence::isNoisy

  /// The record that says which sample it is.
  const results::Record& any() const { return candidate ? *candidate : *base; }
};

/// Two builds, row by row, in the order of the candidate; what is gone stands last.
struct Comparison {
  results::Results base, candidate;  ///< of one run of the program each, or pooled ones (pool.h)
  std::vector<Compared> rows;        ///< of every contender but the control, unless it is alone
  Control control;                   ///< eager, where other contenders race against it
  std::vector<std::string> notes;    ///< the data that the verdicts lack: one line each
};

/// Whether and why the files cannot be compared: A/A runs, other devices, dtypes, data, seeds, threads, flushes or strides, other
/// releases of torch, CUDA or the driver, or clocks whose medians differ by more than 2 %. Empty where they can.
std::vector<std::string> comparabilityIssues(const results::Results& base, const results::Results& candidate);

/// How the environments differ in ways that need not matter, one line each: another GPU of the same model, power limit or
/// compiler.
std::vector<std::string> environmentNotes(const results::Results& base, const results::Results& candidate);

/// Matches the records by operator, sample, dtype and contender and judges each; the dtype does not count where each file
/// has one and they differ. Eager, which both files measured in the same runs, is the control. The gap is the
/// largest of 0.5 %, the A/A noise that the files record for that duration, and what scatters at that duration: the control's
/// times; of times over the control's these ratios themselves, where that is less, as it is unless most of the code changed.
///
/// Where there are several runs of the program by a build, each figure is the median over them, and what scatters from run to
/// run, at that duration or in the sample itself, stands in place of the rest.
Comparison compare(std::vector<results::Results> base, std::vector<results::Results> candidate);
Comparison compare(results::Results base, results::Results candidate);

}  // namespace opbench::compare
