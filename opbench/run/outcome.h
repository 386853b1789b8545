#pragma once

#include <functional>
#include <span>
#include <string>

#include "inputs/sample.h"
#include "opbench/results/row.h"
#include "opbench/settings/race.h"
#include "runtime/callable.h"

namespace opbench {

/// A sample's row before anything was run.
Row rowOf(const inputs::Sample& sample, int index, const std::vector<Contender>& contenders);
/// Copies the facts about a contender's callable to its outcome.
void describe(const runtime::Callable& callable, Outcome& outcome);

/// Runs `step`; what it throws becomes the status and reason of the outcomes, which then have no timing. `dumped` is the
/// folder of the sample's stages, named where a compiler or ATen refused; it may be empty. Outcomes that failed before keep
/// their reason.
void attempt(std::span<Outcome> outcomes, const std::string& dumped, const std::function<void()>& step);
/// Takes an outcome's times away, and what was derived from them.
void dropTimes(Outcome& outcome);
/// Marks an outcome as wrong.
void setWrong(Outcome& outcome, const std::string& message);
/// Marks an outcome as one whose times may not be the times of its work.
void setSuspect(Outcome& outcome, const std::string& message);
/// The status of a process that ended or a device that was lost, by the last words: Assert or Crash.
Status fatalStatus(std::string_view words);
/// Marks the outcomes that have failed, or where none has all of them, as what lost the device; `error` is what that said.
void setLost(std::span<Outcome> outcomes, const std::string& error);
/// A row whose outcomes all have the same status and reason: of a sample that left nothing else behind.
Row failedRow(const inputs::Sample& sample, int index, const RaceSettings& options, Status status, const std::string& reason);
/// Marks the outcomes as left out.
void skip(std::span<Outcome> outcomes, const std::string& reason);

}  // namespace opbench
