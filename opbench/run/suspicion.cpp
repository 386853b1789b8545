#include "opbench/run/suspicion.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "inputs/operator_name.h"
#include "opbench/run/outcome.h"
#include "runtime/own/aten_kernels.h"
#include "runtime/own/changed_code.h"
#include "runtime/own/shared_settings.h"

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

namespace {

/// The shortest of cold runs on data that are the same in each, and on data that are others in each.
struct Novelty {
  double known = std::numeric_limits<double>::infinity(), unknown = known;
  bool isSuspicious() const {
    constexpr double longer = 2, least = 2e-6;
    return unknown >= longer * known && unknown - known >= least;
  }
};

/// One more run of each, prepared alike; `number` is another one each time, and says which data are new.
void addRuns(Novelty& novelty, runtime::Trial& trial, int number) {
  novelty.known = std::min(novelty.known, trial.disturbedSeconds(number, true));
  novelty.unknown = std::min(novelty.unknown, trial.disturbedSeconds(number, false));
  trial.seconds();  // what it keeps of the new data goes
}

/// Other programs may slow down the runs of one kind alone for a while: a suspicion has to last.
std::string suspicionOfOwn(runtime::Trial& trial) {
  constexpr int rounds = 8, runs = 8;
  Novelty novelty;
  for (int round = 0; round < rounds; ++round) {
    for (int run = 1; run <= runs; ++run) addRuns(novelty, trial, round * runs + run);
    if (!novelty.isSuspicious()) return "";
  }
  return fmt::format("a run on data that it has not met takes {:.2f} us, one on data that it has {:.2f} us: it keeps results",
                     novelty.unknown * 1e6, novelty.known * 1e6);
}

}  // namespace

void accuseOwn(const std::vector<PreparedContender>& contenders, const SampleContext& context) {
  for (const PreparedContender& contender : contenders) {
    Outcome& outcome = *contender.outcome;
    if (outcome.status != Status::Ok) continue;
    attempt({&outcome, 1}, context.dump.folder(), [&] {
      // The clock is everybody's.
      std::string why = contender.trial->tampering();
      if (why.empty() && contender.callable->isOwn) why = suspicionOfOwn(*contender.trial);
      if (!why.empty()) setSuspect(outcome, why);
    });
  }
}

void accuseAll(Row& row) {
  std::string changed = runtime::changedCode();
  if (changed.empty()) changed = runtime::foreignKernel();
  if (changed.empty()) changed = runtime::changedSettings();
  if (changed.empty()) return;
  for (Outcome& outcome : row.outcomes)
    if (outcome.status != Status::Suspect) setSuspect(outcome, changed);
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
