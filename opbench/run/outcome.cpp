#include "opbench/run/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "inputs/convert.h"
#include "ir/error.h"
#include "opbench/results/brief.h"
#include "runtime/torch/errors.h"

namespace opbench {
namespace {

void fail(Outcome& outcome, Status status, const std::string& reason) {
  outcome.status = status;
  outcome.reason = reason;
  dropTimes(outcome);
}

void set(std::span<Outcome> outcomes, Status status, const std::string& reason) {
  for (Outcome& outcome : outcomes) {
    if (outcome.status == Status::Ok) fail(outcome, status, reason);
  }
}

Status statusOf(ir::ErrorKind kind) {
  switch (kind) {
    case ir::ErrorKind::Unsupported: return Status::Unsupported;
    case ir::ErrorKind::Input:
    case ir::ErrorKind::Toolchain:
    case ir::ErrorKind::Internal: return Status::Error;
  }
  return Status::Error;
}

std::string reasonOf(const ir::Error& error, const std::string& dumped) {
  if (error.kind() != ir::ErrorKind::Toolchain || dumped.empty()) return error.what();
  return fmt::format("{} (its stages are in {})", error.what(), dumped);
}

/// ATen's messages go on with a stack trace.
std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Row rowOf(const inputs::Sample& sample, int index, const std::vector<Contender>& contenders) {
  Row row;
  row.index = index;
  row.op = sample.op;
  row.sample = sample.recorded;
  row.brief = sample.recorded;
  row.suite = sample.suite;
  row.file = sample.where.file;
  row.line = sample.where.line;
  row.count = sample.count;
  for (const Contender& contender : contenders) {
    Outcome outcome;
    outcome.contender = contender;
    row.outcomes.push_back(outcome);
  }
  return row;
}

void describe(const runtime::Callable& callable, Outcome& outcome) {
  outcome.kind = callable.kind;
  outcome.reason = callable.reason;
  outcome.compileMs = callable.compileMs;
  outcome.cached = callable.cached;
  outcome.kernels = callable.kernels;
  outcome.plannedBytes = callable.plannedBytes;
  outcome.schedule = callable.schedule;
  outcome.library = callable.library;
  outcome.arithmetic = callable.arithmetic;
}

void dropTimes(Outcome& outcome) {
  outcome.timing.reset();
  outcome.secondary.reset();
  for (auto* derived : {&outcome.speedup, &outcome.bytesPerSecond, &outcome.ofRoofline, &outcome.ofCopy, &outcome.flopsPerSecond,
                        &outcome.ofPeak})
    derived->reset();
}

void attempt(std::span<Outcome> outcomes, const std::string& dumped, const std::function<void()>& step) {
  try {
    step();
  } catch (const runtime::OutOfMemory& error) {
    set(outcomes, Status::Oom, error.what());
  } catch (const ir::Error& error) {
    set(outcomes, statusOf(error.kind()), reasonOf(error, dumped));
  } catch (const std::exception& error) {
    if (runtime::isOutOfMemory(error)) return set(outcomes, Status::Oom, "out of memory");
    set(outcomes, Status::Error, firstLine(error.what()));
  }
}

void setWrong(Outcome& outcome, const std::string& message) { fail(outcome, Status::Wrong, message); }

void setSuspect(Outcome& outcome, const std::string& message) { fail(outcome, Status::Suspect, message); }

Status fatalStatus(std::string_view words) {
  const bool isAssertion = words.find("device-side assert") != std::string_view::npos ||
                           (words.find("ssertion") != std::string_view::npos && words.find("failed") != std::string_view::npos);
  return isAssertion ? Status::Assert : Status::Crash;
}

void setLost(std::span<Outcome> outcomes, const std::string& error) {
  const bool isAnyFailed =
      std::any_of(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) { return outcome.status != Status::Ok; });
  for (Outcome& outcome : outcomes) {
    if (isAnyFailed && outcome.status == Status::Ok) continue;
    if (outcome.reason.empty() || outcome.status == Status::Ok) outcome.reason = error;
    outcome.status = fatalStatus(error);
    dropTimes(outcome);
  }
}

Row failedRow(const inputs::Sample& sample, int index, const RaceSettings& options, Status status, const std::string& reason) {
  Row row = rowOf(sample, index, contendersOf(sample.op, options.contenders));
  attempt(row.outcomes, "", [&] { row.brief = brief(inputs::convert(sample, options.dtype, options.channelsLast)); });
  for (Outcome& outcome : row.outcomes) {
    outcome.status = status;
    outcome.reason = reason;
  }
  return row;
}

void skip(std::span<Outcome> outcomes, const std::string& reason) { set(outcomes, Status::Skipped, reason); }

}  // namespace opbench
