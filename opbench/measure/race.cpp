#include "opbench/measure/race.h"

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>
#include <utility>

#include "opbench/measure/stopping.h"

namespace opbench {
namespace {

using Clock = std::chrono::steady_clock;
using Times = std::vector<std::vector<double>>;  // by contender

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr double roundSeconds = 0.004;  // wall time of a round, about: how often the intervals are looked at
constexpr int mostTurns = 50;           // of a round
constexpr double mostTogether = 0.02;   // time of a contender's captures together, beyond which each run counts alone
// Rounds of the fixed mode are operatorbench's batches.
constexpr double fixedRoundSeconds = 0.02;
constexpr int leastFixedTurns = 10, leastSlowTurns = 5, mostFixedTurns = 100;

// Attempts at a run that other programs interrupt; turns without any, fewer of which say less than the others; and how many times
// as long as asked these are waited for.
constexpr int mostAttempts = 3;
// The first turns touch fresh memory, fill instruction caches and wake what sleeps: they do not count, nor do those before two in
// a row agree.
constexpr int leastWarmUps = 3, mostWarmUps = 12;
constexpr double agreement = 0.2;  // of the longer time
constexpr size_t leastUninterrupted = 5;
constexpr double mostPatience = 3;

/// The ratios of times of one turn, where both are more than 0.
std::vector<double> ratios(const std::vector<double>& first, const std::vector<double>& own) {
  std::vector<double> ratios;
  for (size_t k = 0; k < own.size(); ++k)
    if (first[k] > 0 && own[k] > 0) ratios.push_back(first[k] / own[k]);
  return ratios;
}

/// A time that is the difference of two (Measure::BackToBack) is negative where something disturbed one of them; it counts as 0.
std::vector<double> orNone(std::vector<double> times) {
  for (double& time : times) time = std::max(0.0, time);
  return times;
}

constexpr double throttledShare = 0.75;  // of the rated clock, as nvbench has it
constexpr std::chrono::milliseconds throttlePause{50};

int within(double budget, double each, int least, int most) {
  const double turns = each > 0 ? std::floor(budget / each) : most;
  return static_cast<int>(std::clamp(turns, static_cast<double>(least), static_cast<double>(most)));
}

/// Times are read in ticks of a timer. Times of the same code are a few neighbouring ticks, and their median would be one of
/// these, with an interval of no width. Spread evenly over their tick, times have an interval that says where between the ticks
/// the median lies.
std::uniform_real_distribution<double> overTick(double tick) {
  return std::uniform_real_distribution<double>(-tick / 2, tick / 2);
}

class Race {
 public:
  Race(const std::vector<runtime::Trial*>& trials, runtime::Measure measure, runtime::Device& device, const Pace& pace,
       uint64_t seed, const RunChecks& checks)
      : trials_(trials),
        measure_(measure),
        device_(device),
        pace_(pace),
        checks_(checks),
        places_(StoppingRule::leastRuns),
        random_(seed),
        overTick_(overTick(measure == runtime::Measure::Cold ? device.tick() : 0)),
        order_(trials.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    all_.resize(trials.size());
    throttled_.resize(trials.size());
    interrupted_.resize(trials.size());
    rounds_.resize(trials.size());
  }

  Measurement run() {
    while (grow()) {
    }
    for (const runtime::Trial* trial : trials_) captures_ = std::max(captures_, trial->captures(measure_));
    const int turns = warmUp();
    do {
      round(turns);
    } while (!isOver());
    if (checks_.audit && audits_ == 0) audit();  // the time was over before the first place
    return conclude();
  }

 private:
  bool grow() {
    bool isAny = false;
    for (runtime::Trial* trial : trials_) isAny = trial->grow() || isAny;
    return isAny;
  }

  /// Runs turns that do not count; returns the turns of a round.
  int warmUp() {
    Times before, times;
    double wall = 0;
    for (int i = 0; i < leastWarmUps || (i < mostWarmUps && !agree(before, times) && secondsSince(start_) < pace_.maxSeconds / 2);
         ++i) {
      const Clock::time_point start = Clock::now();
      before = std::exchange(times, turn(1).times);
      wall = secondsSince(start);
    }
    double slowest = 0;
    for (const auto& own : times) slowest = std::max(slowest, own.front());
    if (slowest * captures_ > mostTogether) captures_ = 1;
    if (pace_.repeats == 0) return within(roundSeconds, wall * captures_, 1, mostTurns / captures_) * captures_;
    const bool isSlow = slowest > fixedRoundSeconds / 4;
    return within(fixedRoundSeconds, slowest, isSlow ? leastSlowTurns : leastFixedTurns, mostFixedTurns);
  }

  /// Whether no contender's time differs much between two turns.
  static bool agree(const Times& a, const Times& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
      return std::abs(one.front() - other.front()) <= agreement * std::max(one.front(), other.front());
    });
  }

  /// The times of turns, and which of these have a run that other programs interrupted.
  struct Turns {
    Times times;
    std::vector<bool> isInterrupted;
  };

  /// As many turns, with those audits between them whose place it is.
  Turns auditedTurns(int number) {
    const auto before = checks_.audit ? static_cast<int>(places_.before(number)) : number;
    Turns turns = turn(before);
    places_.advance(before);
    if (before == number) return turns;
    const Clock::time_point start = Clock::now();
    audit();
    turn(captures_);  // the checked runs' data are in the caches, in place of the timed runs'
    places_.next();
    start_ += Clock::now() - start;
    append(turns, auditedTurns(number - before));
    return turns;
  }

  void audit() {
    for (size_t trial = 0; trial < trials_.size(); ++trial) checks_.audit(trial);
    ++audits_;
  }

  Turns turn(int number) {
    Turns turns{Times(trials_.size()), std::vector<bool>(static_cast<size_t>(number))};
    std::vector<std::vector<int>> attempts(trials_.size());  // of each turn
    for (int i = 0; i < number; ++i) {
      std::shuffle(order_.begin(), order_.end(), random_);
      for (const size_t trial : order_) {
        const int needed = queue(*trials_[trial]);
        if (checks_.look && measure_ == runtime::Measure::Cold) checks_.look(trial);
        attempts[trial].push_back(std::min(needed, mostAttempts));
        if (needed > mostAttempts) turns.isInterrupted[static_cast<size_t>(i)] = true;
      }
    }
    for (size_t i = 0; i < trials_.size(); ++i) {
      std::vector<double> all;
      trials_[i]->collect(all);
      auto next = all.begin();
      for (const int own : attempts[i]) {
        turns.times[i].push_back(*std::min_element(next, next + own) + dither());
        next += own;
      }
    }
    return turns;
  }

  /// Means over captures need none: within their ticks runs begin anywhere.
  double dither() { return captures_ > 1 ? 0 : overTick_(random_); }

  /// Queues a run, again if other programs interrupt it. Returns the attempts it needs; one more than are made where all fail.
  int queue(runtime::Trial& trial) {
    for (int attempt = 1; attempt <= mostAttempts; ++attempt) {
      const int64_t before = device_.interruptions();
      trial.queue(measure_);
      if (device_.interruptions() == before) return attempt;
      ++interruptions_;
    }
    return mostAttempts + 1;
  }

  /// The times of the turns that were interrupted, or of the others.
  static Times those(const Turns& turns, bool areInterrupted) {
    Times times(turns.times.size());
    for (size_t i = 0; i < times.size(); ++i)
      for (size_t k = 0; k < turns.times[i].size(); ++k)
        if (turns.isInterrupted[k] == areInterrupted) times[i].push_back(turns.times[i][k]);
    return times;
  }

  static void append(Turns& turns, const Turns& more) {
    append(turns.times, more.times);
    turns.isInterrupted.insert(turns.isInterrupted.end(), more.isInterrupted.begin(), more.isInterrupted.end());
  }
  static void append(Times& times, const Times& more) {
    for (size_t i = 0; i < times.size(); ++i) times[i].insert(times[i].end(), more[i].begin(), more[i].end());
  }

  void round(int number) {
    device_.queueClock();
    const Turns turns = auditedTurns(number);
    const Times times = those(turns, false);
    const std::optional<double> clock = device_.clock();
    const bool isThrottled = clock && *clock < throttledShare * device_.ratedClock();
    if (clock && !isThrottled) clocks_.push_back(*clock);
    append(isThrottled ? throttled_ : all_, times);
    append(interrupted_, those(turns, true));
    const Times means = overCaptures(times.front().empty() ? turns.times : times);
    for (size_t i = 0; i < means.size() && !isThrottled; ++i) rounds_[i].push_back(median(means[i]));
    ++count_;
    if (isThrottled) std::this_thread::sleep_for(throttlePause);
  }

  bool isOver() {
    if (pace_.repeats > 0) {
      stopped_ = Stop::Repeats;
      return count_ >= pace_.repeats;
    }
    if (isPrecise()) return true;
    stopped_ = Stop::MaxTime;
    const double seconds = secondsSince(start_);
    return seconds > (isWorthWaiting(seconds) ? mostPatience : 1) * pace_.maxSeconds;
  }

  /// Whether more time will find turns without interruptions, where they are too few so far.
  bool isWorthWaiting(double seconds) const {
    const size_t left = all_[0].size();
    const double most = static_cast<double>(left) * mostPatience * pace_.maxSeconds / seconds;  // as they come so far
    const size_t enough = most >= static_cast<double>(StoppingRule::leastRuns) ? StoppingRule::leastRuns : leastUninterrupted;
    return !interrupted_[0].empty() && left < enough && most >= static_cast<double>(enough);
  }

  bool isPrecise() {
    const Times means = overCaptures(all_);
    Times series;
    for (size_t i = 1; i < means.size(); ++i) series.push_back(ratios(means[0], means[i]));
    stopped_ = Stop::Precision;
    const double noise = means[0].empty() ? 0 : pace_.noise.of(median(means[0])).value_or(0);
    // A/A noise is half the interval of a difference of two measurements; half the interval of one is less by a square root of 2.
    return stopping_.isPrecise(means.size() == 1 ? means : series, captures_, std::max(pace_.precision, std::sqrt(2.0) * noise));
  }

  /// The means of as many consecutive runs as there are captures, each in it once. Some captures are slower than others, for
  /// good, and a median of runs would be the median of the slower ones or of the others, whichever are one more.
  Times overCaptures(const Times& runs) const {
    Times means;
    for (const auto& own : runs) {
      const auto each = std::clamp<Eigen::Index>(std::ssize(own), 1, captures_);
      const Eigen::Map<const Eigen::ArrayXXd> groups(own.data(), each, std::ssize(own) / each);
      means.emplace_back(groups.cols());
      Eigen::Map<Eigen::ArrayXd>(means.back().data(), groups.cols()) = groups.colwise().mean();
    }
    return means;
  }

  Measurement conclude() {
    Measurement measurement;
    measurement.stopped = stopped_;
    measurement.isThrottled = all_[0].empty() && !throttled_[0].empty();
    if (measurement.isThrottled)
      all_.swap(throttled_);
    else
      measurement.dropped = static_cast<int>(throttled_[0].size());
    measurement.interruptions = interruptions_;
    measurement.isDisturbed = !interrupted_[0].empty() && all_[0].size() < leastUninterrupted;
    if (measurement.isDisturbed) append(all_, interrupted_);
    if (!clocks_.empty()) measurement.clock = median(clocks_);
    const Times means = overCaptures(all_);
    for (size_t i = 0; i < all_.size(); ++i) {
      measurement.timings.push_back(timingOf(all_[i], means[i], means[0]));
      measurement.timings.back().rounds = orNone(rounds_[i]);
    }
    return measurement;
  }

  const std::vector<runtime::Trial*>& trials_;
  runtime::Measure measure_;
  runtime::Device& device_;
  const Pace& pace_;
  StoppingRule stopping_;
  const RunChecks& checks_;
  AuditPlaces places_;
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> overTick_;
  std::vector<size_t> order_;
  Times all_, throttled_, interrupted_, rounds_;
  std::vector<double> clocks_;
  Clock::time_point start_ = Clock::now();
  int captures_ = 1;  ///< that take turns
  int count_ = 0;     ///< rounds
  int interruptions_ = 0;
  int audits_ = 0;
  Stop stopped_ = Stop::Precision;
};

}  // namespace

Timing timingOf(const std::vector<double>& all, const std::vector<double>& means, const std::vector<double>& firstMeans) {
  const std::vector<double> times = orNone(all);
  const Estimate seconds = estimate(orNone(means));
  Timing timing;
  timing.median = seconds.median;
  timing.interval = seconds.interval;
  timing.p20 = quantile(times, 0.2);
  timing.p80 = quantile(times, 0.8);
  timing.runs = static_cast<int>(times.size());
  timing.histogram = histogramOf(times);
  if (const auto pairs = ratios(firstMeans, means); !pairs.empty()) timing.ratio = estimate(pairs);
  return timing;
}

Measurement race(const std::vector<runtime::Trial*>& trials, runtime::Measure measure, runtime::Device& device, const Pace& pace,
                 uint64_t seed, const RunChecks& checks) {
  return Race(trials, measure, device, pace, seed, checks).run();
}

}  // namespace opbench
