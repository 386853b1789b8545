#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opbench {

/// A deliberate mistake in what opbench generates or measures: it shows whether the checks would see a real one. For tests.
enum class Fault {
  UnwrittenTail,    ///< the last element of an output is not stored, nor what its vector stores with it
  OffByOne,         ///< every element is stored one place further on, the last one first
  F16Accumulation,  ///< every f32 operation is rounded to f16, every f64 one to f32
  StaleOutput,      ///< the first run's result is handed out ever after
  CachedResult,     ///< the result for arguments that were met before is handed out again
  Zeros,            ///< all elements stored are zero
  DropMaximum,      ///< nothing is subtracted before an exponential
  OnePassVariance,  ///< squared differences from a mean are summed as squares less the square of the mean
  ShortSum,         ///< a sum leaves out its last eight elements
  SparseSum,        ///< a sum leaves out the last hundredth of its elements
  SwallowNan,       ///< maxima and minima take no notice of NaN
  LastTie,          ///< of equal extremes the last one's place is found
  UnstableSort,     ///< equal neighbours that were sorted change places
  NegativeZero,     ///< zeros are negative
  UnwrittenOutput,  ///< the last output is not stored
  WritesInput,      ///< the first element of an argument is overwritten
  ReadsPastEnd,     ///< the element after an argument's last one is added to it
  OneAlignment,     ///< every 16th element is wrong
  OneShape,         ///< the last element of an odd number of them is wrong
  NarrowI64,        ///< 64-bit integers are read as 32-bit ones
  DroppedBarrier,   ///< CUDA: the threads of a CTA do not wait for each other
  Slow,             ///< times are reported 5 % longer
  ScaledGradient,   ///< networks: the first gradient is a hundredth too large
  DroppedBias,      ///< networks: the first bias is not added, and has no gradient
  StaleStatistic,   ///< networks: the first running mean stays as it was
  OtherMask,        ///< networks: what is dropped out is drawn from another seed
  SkippedStep,      ///< networks: the optimizer leaves the parameters as they were
  SwappedSteps,     ///< plans: two steps of which one reads what the other writes change places
  StaleValue,       ///< plans: a group reads an older value in place of another one
  LostOutput,       ///< plans: a group of several outputs does not store its last one, in one of its places
  OtherGroup,       ///< plans: the program of another group is run on a group's values
  DroppedWrite,     ///< plans: a write into memory that holds something is left out, a view's where there is one
  SwappedVersions,  ///< plans: a step sees memory as it was before a write that it comes after, or the other way round
  EarlyStore,       ///< plans: an input is overwritten before it is read for the last time
  Overlap,          ///< plans: two values that are needed at the same time share bytes
  OneTensor,        ///< plans: a launch leaves out one of the tensors of its list
  Neighbour,        ///< plans: two tensors of a launch's list are written in each other's place
  SwappedParts,     ///< plans: two tensors that are laid side by side change places
};

/// `unwritten-tail`, `off-by-one`; as --fault has it.
std::string_view name(Fault fault);
std::optional<Fault> faultFromName(std::string_view text);
std::vector<std::string> faultNames();

}  // namespace opbench
