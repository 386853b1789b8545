#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "opbench/results/fields.h"
#include "opbench/results/row.h"
#include "opbench/results/schema.h"

namespace opbench::results {

/// The results of one sample, from its lines, of which each is a contender's.
struct SampleResult {
  Row row;
  Run run;                         ///< that the sample was raced in
  int64_t schema = currentSchema;  ///< of its lines
  std::string lines;               ///< as they stand in the file, each with its line break
  int place = 0;                   ///< the line of the file where they begin, from 1
  bool hasSums = true;             ///< whether each has its sum; lines of older versions have none
};

/// The run of a line, or of results::runJson; its contenders are the lines'. Errors: Input.
Run runOf(const Fields& fields);

/// The result that one line tells: a sample with a single contender. Errors: Input.
SampleResult lineOf(const Fields& fields);

/// Reads lines of one sample, the inverse of results::jsonLines: what was read is written as it was. `file` and `place` are for
/// messages. Errors: Input, `FILE:LINE: what`.
SampleResult sampleResultOf(std::string_view lines, const std::string& file, int place);

using TakeSampleResult = std::function<void(SampleResult)>;

/// The findings in a results file.
struct ReadSampleResults {
  size_t bytes = 0;  ///< of the lines of whole samples, from the file's begin
  std::string note;  ///< `FILE:LINE: ...`, where a last sample is left out because a run that was killed did not finish it
  int64_t oldestSchema = currentSchema;  ///< of all lines, the left-out sample's among them
};

/// Reads a results file and hands on each sample as soon as it is read. Samples have lines of as many contenders as said, or,
/// where that is 0, as the first has. Errors: Input, `FILE:LINE: what`, for lines that are none of ours and samples that lack
/// some of theirs, but for the last.
ReadSampleResults readSampleResults(std::istream& stream, const std::string& file, size_t contenders,
                                    const TakeSampleResult& take);

}  // namespace opbench::results
