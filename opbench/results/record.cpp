#include "opbench/results/record.h"

namespace opbench::results {

Disposition dispositionOf(Status status, bool hasTime) {
  switch (status) {
    case Status::Ok: return hasTime ? Disposition::Measured : Disposition::Unmeasured;
    case Status::Wrong: return Disposition::Wrong;
    case Status::Impossible: return Disposition::Impossible;
    case Status::Suspect:
    case Status::Error:
    case Status::Crash:
    case Status::Assert:
    case Status::Timeout:
    case Status::Oom: return Disposition::Failed;
    case Status::Unsupported:
    case Status::Skipped: return Disposition::Unmeasured;
  }
  return Disposition::Unmeasured;
}

}  // namespace opbench::results
