#include "opbench/outcome.h"

#include <fmt/format.h>

#include <exception>

#include "ir/error.h"

namespace opbench {
namespace {

void set(std::span<Outcome> outcomes, Status status, const std::string& reason) {
  for (Outcome& outcome : outcomes) {
    if (outcome.status != Status::Ok) continue;
    outcome.status = status;
    outcome.reason = reason;
    outcome.timing.reset();
    outcome.beside.reset();
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
  for (Contender contender : contenders) {
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
  outcome.schedule = callable.schedule;
}

void attempt(std::span<Outcome> outcomes, const std::string& dumped, const std::function<void()>& step) {
  try {
    step();
  } catch (const ir::Error& error) {
    set(outcomes, statusOf(error.kind()), reasonOf(error, dumped));
  } catch (const std::exception& error) {
    set(outcomes, Status::Error, firstLine(error.what()));
  }
}

void setWrong(Outcome& outcome, const std::string& message) {
  outcome.status = Status::Wrong;
  outcome.reason = message;
  outcome.timing.reset();
  outcome.beside.reset();
}

void skip(std::span<Outcome> outcomes, const std::string& reason) { set(outcomes, Status::Skipped, reason); }

}  // namespace opbench
