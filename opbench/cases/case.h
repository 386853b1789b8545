#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "inputs/sample.h"
#include "opbench/results/record.h"
#include "opbench/results/row.h"
#include "opbench/settings/race.h"

namespace opbench {

/// One sample to repeat, with what is recorded about it.
struct Case {
  inputs::Sample sample;
  std::optional<results::Record> record;  ///< a line of results; nothing where only the sample is known
  std::filesystem::path from;             ///< the file or folder it was read from; empty where it is of this run
};

/// Reads `FILE:LINE`, a line of results or of samples; FILE, with a single sample; or a folder that `--dump` wrote for a sample.
/// Errors: Input, for what cannot be read, is not there or is none of these.
Case readCase(const std::string& what);

/// The case of a line of results; `where` is the `FILE:LINE` of messages. Errors: Input.
Case caseOfLine(std::string_view line, const std::string& where);

/// The subject of the case: `aten.add.Tensor: opbench was wrong: output 0 is ...`. The text is foreign, and may have any lines.
std::string aboutCase(const Case& wanted);

/// The options to race the case with: the dtype, data, seed, threads, strides and contender of its record, and its device unless
/// one was given; without a record, the options given. Errors: Input, for values of the record that are none.
RaceSettings raceSettings(const Case& wanted, const RaceSettings& given);

/// The data that its record says it was drawn from, or that it is to be raced on.
inputs::Data dataOf(const Case& wanted, const RaceSettings& run);

/// Ends the reason of an outcome with the command that writes its case: `opbench repro FILE:LINE --dtype float16`.
void addReproCommand(Outcome& outcome, const Row& row, const RaceSettings& options);

}  // namespace opbench
