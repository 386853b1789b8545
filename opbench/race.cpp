#include "opbench/race.h"

#include <algorithm>
#include <cmath>

#include "opbench/statistics.h"

namespace opbench {
namespace {

/// One contender in the race.
struct Runner {
  runtime::Trial* trial = nullptr;
  int batch = 0;                ///< runs of one batch
  int turn = 0;                 ///< runs before the others have theirs
  std::vector<double> current;  ///< of the batch at hand
  std::vector<double> all;
  std::vector<double> batches;
};

/// The first run is a warm-up: it touches fresh memory and fills instruction caches.
double estimate(runtime::Trial& trial) {
  trial.seconds();
  return std::min(trial.seconds(), trial.seconds());
}

int runsWithin(double seconds, double each, int least, int most) {
  const double runs = each > 0 ? std::floor(seconds / each) : most;
  return static_cast<int>(std::clamp(runs, static_cast<double>(least), static_cast<double>(most)));
}

Runner enter(runtime::Trial* trial, const Pace& pace) {
  Runner runner;
  runner.trial = trial;
  const double each = estimate(*trial);
  const bool isSlow = each > pace.batchSeconds / 4;
  runner.batch = runsWithin(pace.batchSeconds, each, isSlow ? pace.slowRuns : pace.minRuns, pace.maxRuns);
  runner.turn = pace.turnSeconds > 0 ? runsWithin(pace.turnSeconds, each, 1, runner.batch) : runner.batch;
  return runner;
}

void takeTurn(Runner& runner) {
  const int left = runner.batch - static_cast<int>(runner.current.size());
  runner.trial->time(std::min(runner.turn, left), runner.current);
}

bool isDone(const Runner& runner) { return static_cast<int>(runner.current.size()) >= runner.batch; }

/// One batch of every runner, turn by turn.
void round(std::vector<Runner>& runners, bool backwards) {
  const size_t count = runners.size();
  while (!std::all_of(runners.begin(), runners.end(), isDone))
    for (size_t i = 0; i < count; ++i) {
      Runner& runner = runners[backwards ? count - 1 - i : i];
      if (!isDone(runner)) takeTurn(runner);
    }
  for (Runner& runner : runners) {
    runner.batches.push_back(median(runner.current));
    runner.all.insert(runner.all.end(), runner.current.begin(), runner.current.end());
    runner.current.clear();
  }
}

Timing timingOf(const Runner& runner) {
  Timing timing;
  timing.median = median(runner.batches);
  timing.p20 = quantile(runner.all, 0.2);
  timing.p80 = quantile(runner.all, 0.8);
  timing.runs = static_cast<int>(runner.all.size());
  timing.batches = runner.batches;
  return timing;
}

}  // namespace

Pace paceFor(ir::Backend backend, int repeats) {
  Pace pace;
  pace.repeats = repeats;
  switch (backend) {
    case ir::Backend::Cuda: break;
    case ir::Backend::Cpu:
      pace.turnSeconds = 0.001;
      pace.maxRuns = 1000;
      break;
  }
  return pace;
}

std::vector<Timing> race(const std::vector<runtime::Trial*>& trials, const Pace& pace) {
  std::vector<Runner> runners;
  for (runtime::Trial* trial : trials) runners.push_back(enter(trial, pace));
  for (int i = 0; i < pace.repeats; ++i) round(runners, i % 2 == 1);
  std::vector<Timing> timings;
  for (const Runner& runner : runners) timings.push_back(timingOf(runner));
  return timings;
}

}  // namespace opbench
