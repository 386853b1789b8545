#include "opbench/report/networks/words.h"

namespace opbench::report {
namespace {

bool isLost(const Outcome& outcome) { return outcome.status == Status::Crash || outcome.status == Status::Assert; }

std::string_view wordOfEager(const Outcome& eager) {
  switch (eager.status) {
    case Status::Oom: return "eager_1st_run_OOM";
    case Status::Timeout: return "timeout";
    case Status::Skipped: return "";
    case Status::Ok:
    case Status::Wrong:
    case Status::Impossible:
    case Status::Suspect:
    case Status::Unsupported:
    case Status::Error:
    case Status::Crash:
    case Status::Assert: return "eager_1st_run_fail";
  }
  return "";
}

std::string_view wordOfContender(const Outcome& contender) {
  switch (contender.status) {
    case Status::Ok: return "pass";
    case Status::Wrong: return "fail_accuracy";
    case Status::Oom: return "OOM";
    case Status::Timeout: return "timeout";
    case Status::Skipped: return "";
    case Status::Impossible:
    case Status::Suspect:
    case Status::Unsupported:
    case Status::Error:
    case Status::Crash:
    case Status::Assert: return "fail_to_run";
  }
  return "";
}

}  // namespace

const Outcome& comparedOf(const Row& row) { return row.outcomes.size() > 1 ? row.outcomes[1] : row.outcomes.front(); }

std::string_view accuracyWord(const Row& row) {
  const Outcome &eager = row.outcomes.front(), &contender = comparedOf(row);
  const bool isSkipped = eager.status == Status::Skipped || eager.status == Status::Ok;
  if (!row.notChecked.empty() && isSkipped && contender.status == eager.status) return "pass_due_to_skip";
  if (isLost(eager) && isLost(contender)) return "infra_error";
  if (eager.status != Status::Ok) return wordOfEager(eager);
  const bool isTimed = eager.timing || contender.timing;
  if (eager.isVarying() && !isTimed) return "eager_two_runs_differ";
  return wordOfContender(contender);
}

}  // namespace opbench::report
