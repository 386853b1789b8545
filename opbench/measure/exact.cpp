#include <algorithm>
#include <numeric>
#include <random>

#include "opbench/measure/race.h"

namespace opbench {
namespace {

/// The times of the runs of one contender.
struct Runs {
  std::vector<double> whole;
  std::vector<Phase> phases;

  void add(double seconds, const std::vector<runtime::PhaseTime>& own) {
    whole.push_back(seconds);
    phases.resize(own.size());
    for (size_t i = 0; i < own.size(); ++i) {
      phases[i].name = own[i].name;
      phases[i].runs.push_back(own[i].seconds);
    }
  }
};

/// A turn that does not count.
void turn(const std::vector<runtime::Trial*>& trials, runtime::Measure measure) {
  for (runtime::Trial* trial : trials) {
    std::vector<double> seconds;
    trial->queue(measure);
    trial->collect(seconds);
  }
}

}  // namespace

Measurement raceExactly(const std::vector<runtime::Trial*>& trials, runtime::Measure measure, runtime::Device& device,
                        int64_t warmups, int64_t runs, uint64_t seed, const RunChecks& checks) {
  std::vector<Runs> all(trials.size());
  std::vector<size_t> order(trials.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  Measurement measurement;
  measurement.stopped = Stop::Runs;
  device.queueClock();
  const AuditPlaces places(runs);
  for (int64_t run = -warmups; run < runs; ++run) {
    if (checks.audit && run >= 0 && run == places.before(runs)) {
      for (size_t i = 0; i < trials.size(); ++i) checks.audit(i);
      turn(trials, measure);
    }
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t i : order) {
      std::vector<double> seconds;
      const int64_t before = device.interruptions();
      trials[i]->queue(measure);
      trials[i]->collect(seconds);
      if (run < 0) continue;
      if (device.interruptions() != before) ++measurement.interruptions;
      all[i].add(seconds.at(0), trials[i]->phases());
    }
  }
  measurement.clock = device.clock();
  for (Runs& own : all) {
    measurement.timings.push_back(timingOf(own.whole, own.whole, all[0].whole));
    measurement.timings.back().rounds = own.whole;
    measurement.timings.back().phases = std::move(own.phases);
  }
  return measurement;
}

}  // namespace opbench
