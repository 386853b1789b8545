#include "opbench/measure/fastest.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "ir/error.h"
#include "opbench/measure/race.h"
#include "runtime/callable.h"

namespace opbench {
namespace {

constexpr int decidingRounds = 3;  // of the winner and the first one

/// A candidate that is ready to race.
struct Prepared {
  size_t candidate = 0;
  runtime::CallablePtr callable;
  std::unique_ptr<runtime::Trial> trial;
};

Prepared prepare(size_t number, const Candidate& candidate, runtime::Workload& workload, const Check& check, const Bench& bench) {
  Prepared prepared{number, candidate.make(), nullptr};
  prepared.trial = bench.device.prepare(*prepared.callable, workload);
  if (const std::string wrong = check(*prepared.trial); !wrong.empty()) ir::fail(ir::ErrorKind::Internal, "{}", wrong);
  return prepared;
}

std::string firstLine(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

/// The candidates that are right; none where the first one is not, which then fails the sample.
std::vector<Prepared> prepareAll(const std::vector<Candidate>& candidates, runtime::Workload& workload, const Check& check,
                                 const Bench& bench, std::vector<std::string>& refused) {
  std::vector<Prepared> prepared;
  for (size_t i = 0; i < candidates.size(); ++i) {
    try {
      prepared.push_back(prepare(i, candidates[i], workload, check, bench));
    } catch (const std::exception& error) {
      if (prepared.empty()) return {};
      refused.push_back(fmt::format("{}: {}", candidates[i].name, firstLine(error)));
    }
  }
  return prepared;
}

/// Drops candidates that are so much slower than the first one that racing them is a waste of time.
void dropHopeless(const std::vector<Candidate>& candidates, std::vector<Prepared>& prepared, std::vector<std::string>& refused) {
  constexpr double hopeless = 3;
  const auto seconds = [](const Prepared& one) { return std::min(one.trial->seconds(), one.trial->seconds()); };
  const double first = seconds(prepared.front());
  std::erase_if(prepared, [&](const Prepared& one) {
    if (&one == &prepared.front()) return false;
    const double times = seconds(one) / first;
    if (times > hopeless)
      refused.push_back(fmt::format("{}: it takes {:.1f} times as long", candidates[one.candidate].name, times));
    return times > hopeless;
  });
}

/// The timings of trials that race each other.
std::vector<Timing> timingsOf(const std::vector<runtime::Trial*>& trials, int rounds, const Bench& bench) {
  Pace pace;
  pace.repeats = rounds;
  return race(trials, mainMeasure(bench.run), bench.device, pace, bench.options.seed).timings;
}

/// The first trial's time over another one's; 1 unless that is faster beyond noise.
double gainOver(runtime::Trial* first, runtime::Trial* other, const Bench& bench) {
  const std::vector<Timing> timings = timingsOf({first, other}, decidingRounds, bench);
  const std::optional<Interval>& ratio = timings[1].ratio.interval;
  const bool isBeyondNoise = fastest({timings[0].median, timings[1].median}) == 1 && ratio && ratio->low > 1;
  return isBeyondNoise ? timings[0].median / timings[1].median : 1;
}

}  // namespace

size_t fastest(const std::vector<double>& seconds) {
  constexpr double noise = 0.02;
  const auto least = std::min_element(seconds.begin(), seconds.end());
  return *least < (1 - noise) * seconds.front() ? static_cast<size_t>(least - seconds.begin()) : 0;
}

Fastest findFastest(const std::vector<Candidate>& candidates, int rounds, runtime::Workload& workload, const Check& check,
                    const Bench& bench) {
  Fastest found;
  std::vector<Prepared> all = prepareAll(candidates, workload, check, bench, found.refused);
  if (all.empty()) return found;
  dropHopeless(candidates, all, found.refused);
  std::vector<runtime::Trial*> trials;
  for (const Prepared& one : all) trials.push_back(one.trial.get());
  for (runtime::Trial* trial : trials) trial->prepareFor(mainMeasure(bench.run));
  std::vector<double> seconds;
  for (const Timing& timing : timingsOf(trials, rounds, bench)) seconds.push_back(timing.median);
  for (size_t i = 0; i < all.size(); ++i) found.timed.push_back({all[i].candidate, seconds[i]});
  // The least of many times is partly luck: the winner's gain comes from a race with the first one alone.
  if (const size_t winner = fastest(seconds); winner > 0) found.gain = gainOver(trials[0], trials[winner], bench);
  if (found.gain > 1) found.winner = all[fastest(seconds)].candidate;
  return found;
}

}  // namespace opbench
