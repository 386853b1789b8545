#include "opbench/sweep/workers/worker_reply.h"

#include <fmt/format.h>

#include "opbench/results/sample_result.h"
#include "opbench/run/memory.h"
#include "opbench/run/outcome.h"

namespace opbench {
namespace {

std::string failureOf(const Finished& finished) {
  const results::SampleResult result = results::sampleResultOf(finished.lines, "worker", 1);
  for (const Outcome& outcome : result.row.outcomes)
    if (outcome.status == Status::Oom && !isEstimated(outcome)) return failureText(outcome.status, outcome.reason);
  return finished.lost.empty() ? "" : failureText(fatalStatus(finished.lost), finished.lost);
}

}  // namespace

WorkerReply workerReplyIn(const std::string& line) {
  WorkerReply said{replyOf(line), ""};
  if (const auto* finished = std::get_if<Finished>(&said.reply)) said.failure = failureOf(*finished);
  return said;
}

std::string failureText(Status status, const std::string& reason) {
  return fmt::format("{}: {}", name(status), reason.substr(0, reason.find_first_of(";\n")));
}

}  // namespace opbench
