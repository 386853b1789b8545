#include "opbench/run/suspicion.h"

#include <fmt/format.h>

#include <algorithm>

#include "inputs/operator_name.h"
#include "opbench/run/outcome.h"

namespace opbench {

std::vector<Suspect> watch(const std::vector<PreparedContender>& contenders, const SampleContext& context) {
  std::vector<Suspect> suspects;
  if (inputs::isNetwork(context.workload.op())) return suspects;
  for (const PreparedContender& contender : contenders) {
    if (contender.outcome->contender == context.workload.reference()) continue;
    if (auto launches = contender.trial->launches()) suspects.push_back({&contender, std::move(*launches)});
  }
  return suspects;
}

void accuse(const std::vector<Suspect>& suspects) {
  for (const Suspect& suspect : suspects) {
    Outcome& outcome = *suspect.contender->outcome;
    const auto after = suspect.contender->trial->launches();
    if (outcome.status != Status::Ok || !after) continue;
    if (std::string why = suspicion(suspect.before, *after); !why.empty()) setSuspect(outcome, why);
  }
}

std::string suspicion(const runtime::Launches& before, const runtime::Launches& after) {
  for (const runtime::Launches* launches : {&before, &after})
    if (launches->elsewhere > 0)
      return fmt::format("{} of its {} kernels run on another stream than the one that is timed", launches->elsewhere,
                         launches->kernels.size());
  if (before.kernels == after.kernels) return "";
  std::vector<std::string> gone, come;
  std::set_difference(before.kernels.begin(), before.kernels.end(), after.kernels.begin(), after.kernels.end(),
                      std::back_inserter(gone));
  std::set_difference(after.kernels.begin(), after.kernels.end(), before.kernels.begin(), before.kernels.end(),
                      std::back_inserter(come));
  return fmt::format("after it was timed it launches {} kernels, before it was {}: {}", after.kernels.size(),
                     before.kernels.size(), gone.empty() ? "new is " + come.front() : "missing is " + gone.front());
}

}  // namespace opbench
