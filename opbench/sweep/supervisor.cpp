#include <fmt/ranges.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <deque>
#include <fstream>

#include "ir/error.h"
#include "opbench/arguments.h"
#include "opbench/memory.h"
#include "opbench/outcome.h"
#include "opbench/report/json.h"
#include "opbench/results/raced.h"
#include "opbench/sweep/agenda.h"
#include "opbench/sweep/compilers.h"
#include "opbench/sweep/process.h"
#include "opbench/sweep/run_cache.h"
#include "runtime/host.h"

namespace opbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int mostStarts = 3;         // of workers in a row that end before they have opened their device
constexpr double startSeconds = 900;  // that a worker may take to open its device, and to measure it where that was never done

/// A sample that is being raced, for the first time or once more.
struct Attempt {
  Job job;
  bool isAgain = false;
};

/// Where a worker races on a device, one after another.
struct Seat {
  std::string device;
  std::optional<Process> worker;
  bool isReady = false;  ///< the worker has opened its device
  int starts = 0;        ///< since one was ready last
  std::optional<Attempt> attempt;
  Clock::time_point deadline = Clock::time_point::max();
  std::vector<int> processors;  ///< that are the worker's alone, where it does not compute on them itself

  bool isOpening() const { return worker && !isReady; }
  bool isBusy() const { return attempt || isOpening(); }
};

/// Which processors are whose, on a machine whose GPUs are raced on: a worker has up to a quarter of them, compilers the rest.
struct Division {
  std::vector<std::vector<int>> workers;
  std::vector<int> compilers;  ///< none where there are too few to divide
};

Division divide(const std::vector<int>& processors, size_t workers) {
  const size_t each = std::max<size_t>(1, processors.size() / 4 / workers);
  Division division;
  if (processors.size() <= each * workers) return {std::vector<std::vector<int>>(workers), {}};
  for (size_t i = 0; i < workers; ++i) {
    const auto first = processors.begin() + static_cast<std::ptrdiff_t>(i * each);
    division.workers.emplace_back(first, first + static_cast<std::ptrdiff_t>(each));
  }
  division.compilers.assign(processors.begin() + static_cast<std::ptrdiff_t>(each * workers), processors.end());
  return division;
}

/// How many compile: as many as there are processors for them, with a few samples for each.
int compilersFor(const Options& options, const Division& division, size_t processors) {
  const bool races =
      std::find(options.contenders.begin(), options.contenders.end(), Contender::Opbench) != options.contenders.end();
  if (!races) return 0;
  if (options.compilers) return std::min(*options.compilers, options.samples);
  constexpr int samplesEach = 4;
  const bool isCpu = options.device == "cpu" || (!options.devices.empty() && options.devices.front() == "cpu");
  const auto places = static_cast<int>(isCpu || division.compilers.empty() ? processors : division.compilers.size());
  return std::min(places, options.samples / samplesEach);
}

/// Processes that the system has killed so far because memory ran out.
int64_t killedForMemory() {
  std::ifstream file("/proc/vmstat");
  for (std::string name; file >> name;) {
    int64_t value = 0;
    file >> value;
    if (name == "oom_kill") return value;
  }
  return 0;
}

/// `crash: signal 9 (Killed)`, in one line.
std::string failureText(Status status, const std::string& reason) {
  return fmt::format("{}: {}", name(status), reason.substr(0, reason.find_first_of(";\n")));
}

bool isKilled(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }

/// Why a sample should be raced once more: it has lost the device, or memory was short. Empty where it should not.
std::string failureOf(const Finished& finished) {
  const results::Raced raced = results::racedOf(finished.lines, "worker", 1);
  for (const Outcome& outcome : raced.row.outcomes)
    if (outcome.status == Status::Oom && !isEstimated(outcome)) return failureText(outcome.status, outcome.reason);
  return finished.lost.empty() ? "" : failureText(fatalStatus(finished.lost), finished.lost);
}

class Supervisor {
 public:
  Supervisor(Agenda& agenda, const Options& options) : agenda_(agenda), options_(options) {
    for (const std::string& device : options.devices) seats_.emplace_back().device = device;
    if (seats_.empty()) seats_.emplace_back().device = options.device;
    const std::vector<int> processors = runtime::allowedProcessors();
    const Division division = divide(processors, seats_.size());
    for (size_t i = 0; i < seats_.size(); ++i) seats_[i].processors = division.workers[i];
    isDivided_ = !division.compilers.empty();
    const int number = compilersFor(options, division, processors.size());
    if (number > 0) cache_.emplace(options.cache);
    std::vector<std::string> arguments = processArguments(division.compilers);
    arguments.emplace_back("--compiler");
    compilers_.emplace(agenda, number, std::move(arguments), options.timeout);
  }

  void run() {
    for (;;) {
      compilers_->work(isAnyRacing());
      for (Seat& seat : seats_) engage(seat);
      if (!isAnyBusy()) break;
      wait();
      compilers_->attend();
      for (Seat& seat : seats_) attend(seat);
    }
    if (!again_.empty())
      agenda_.complain(fmt::format("{} sample{} that failed once will be raced again by --resume", again_.size(),
                                   again_.size() == 1 ? "" : "s"));
  }

 private:
  bool isAnyRacing() const {
    return std::any_of(seats_.begin(), seats_.end(), [](const Seat& seat) { return seat.attempt.has_value(); });
  }
  bool isAnyBusy() const {
    if (compilers_->isCompiling() && !agenda_.isInterrupted()) return true;
    return std::any_of(seats_.begin(), seats_.end(), [](const Seat& seat) { return seat.isBusy(); });
  }

  /// Gives a seat that has nothing to do something, where there is.
  void engage(Seat& seat) {
    if (seat.isBusy() || compilers_->isInTheWay()) return;
    if (!seat.worker && compilers_->hasMore()) return start(seat);
    seat.attempt = next(seat);
    if (!seat.attempt) return;
    if (!seat.worker) return start(seat);
    begin(seat);
  }

  std::optional<Attempt> next(Seat& seat) {
    if (auto job = compilers_->next()) return Attempt{std::move(*job), false};
    if (again_.empty() || agenda_.isInterrupted() || isAnyBusy()) return std::nullopt;
    // Alone: the other workers give back what memory they hold, too.
    for (Seat& other : seats_) dismiss(other);
    Attempt attempt = std::move(again_.front());
    again_.pop_front();
    dismiss(seat);
    return attempt;
  }

  /// What workers and compilers have in common.
  std::vector<std::string> processArguments(const std::vector<int>& processors) const {
    std::vector<std::string> arguments = raceArguments(options_);
    const std::string& cache = cache_ ? cache_->folder() : options_.cache;
    if (cache.empty())
      arguments.emplace_back("--no-cache");
    else
      arguments.insert(arguments.end(), {"--cache", cache});
    if (!processors.empty()) arguments.insert(arguments.end(), {"--processors", fmt::format("{}", fmt::join(processors, ","))});
    return arguments;
  }

  void start(Seat& seat) {
    std::vector<std::string> arguments = processArguments(seat.processors);
    const auto add = [&](const char* name, const std::string& value) {
      if (!value.empty()) arguments.insert(arguments.end(), {name, value});
    };
    add("--worker", fmt::format("{},{},{}", options_.samples, options_.recorded.samples, options_.recorded.calls));
    add("--device", seat.device);
    add("--dump", options_.dump);
    add("--cases", options_.cases);
    if (options_.cases.empty()) arguments.emplace_back("--no-cases");
    seat.worker.emplace(arguments);
    seat.isReady = false;
    ++seat.starts;
    seat.deadline = deadlineAfter(startSeconds);
  }

  void begin(Seat& seat) {
    kills_ = killedForMemory();
    seat.deadline = deadlineAfter(options_.timeout);
    agenda_.start(seat.attempt->job);
    seat.worker->send(toLine(seat.attempt->job));
  }

  static void dismiss(Seat& seat) {
    seat.worker.reset();
    seat.isReady = false;
  }

  /// Sleeps until a worker says something or its time is up, or the user interrupts; nothing runs beside what is being timed.
  void wait() {
    std::vector<pollfd> files;
    auto deadline = Clock::time_point::max();
    compilers_->watch(files, deadline);
    for (const Seat& seat : seats_) {
      if (!seat.isBusy()) continue;
      files.push_back({seat.worker->channel(), POLLIN, 0});
      if (seat.worker->errors() >= 0) files.push_back({seat.worker->errors(), POLLIN, 0});
      deadline = std::min(deadline, seat.deadline);
    }
    ::poll(files.data(), files.size(), millisecondsUntil(deadline));
  }

  static int millisecondsUntil(Clock::time_point deadline) {
    if (deadline == Clock::time_point::max()) return -1;
    const double left = std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
    return static_cast<int>(std::clamp(std::ceil(left), 0.0, 1e9));
  }

  /// Hears what the seat's worker has to say, and whether it has ended or its time is up.
  void attend(Seat& seat) {
    if (!seat.isBusy()) return;
    if (!seat.worker->hear()) return bury(seat);
    while (seat.isBusy())
      if (const auto line = seat.worker->line())
        hear(seat, replyOf(*line));
      else
        break;
    if (seat.isBusy() && Clock::now() >= seat.deadline) giveUp(seat);
  }

  void hear(Seat& seat, const Reply& reply) {
    if (const auto* ready = std::get_if<Ready>(&reply)) welcome(seat, *ready);
    if (const auto* finished = std::get_if<Finished>(&reply)) conclude(seat, *finished);
    if (const auto* refused = std::get_if<Refused>(&reply)) {
      if (refused->lacksDevice) throw runtime::NoDevice(refused->message);
      ir::fail(refused->isUsers ? ir::ErrorKind::Input : ir::ErrorKind::Toolchain, "{}", refused->message);
    }
  }

  void welcome(Seat& seat, const Ready& ready) {
    seat.isReady = true;
    seat.starts = 0;
    if (!run_) {
      run_ = ready.run;
      run_->contenders = options_.contenders;
      agenda_.begin({*run_, ready.target, ready.complaint});
    }
    compilers_->open(ready.target, ready.target.backend == ir::Backend::Cpu || !isDivided_);
    if (seat.attempt) begin(seat);
  }

  void conclude(Seat& seat, const Finished& finished) {
    const std::string failure = failureOf(finished);
    Attempt attempt = std::move(*seat.attempt);
    seat.attempt.reset();
    if (!failure.empty()) dismiss(seat);
    if (!failure.empty() && !attempt.isAgain) return postpone(std::move(attempt), failure);
    agenda_.take(finished);
  }

  /// The worker has ended in the middle of a sample.
  void bury(Seat& seat) {
    const int status = seat.worker->end();
    if (!seat.isReady && WIFSIGNALED(status) && seat.starts < mostStarts) return start(seat);
    if (!seat.isReady) ir::fail(ir::ErrorKind::Toolchain, "a worker ended before it had begun, by {}", seat.worker->ending());
    if (isKilled(status) && killedForMemory() > kills_)
      return fail(seat, Status::Oom, "the system ran out of memory and killed it");
    fail(seat, fatalStatus(seat.worker->lastWords()), seat.worker->ending());
  }

  void giveUp(Seat& seat) {
    if (!seat.isReady) ir::fail(ir::ErrorKind::Toolchain, "a worker has not begun after {} seconds", startSeconds);
    seat.worker->end();
    const std::string words = seat.worker->lastWords();
    fail(seat, Status::Timeout,
         fmt::format("it takes longer than {} s{}", options_.timeout, words.empty() ? "" : "; it said:\n" + words));
  }

  void fail(Seat& seat, Status status, const std::string& reason) {
    Attempt attempt = std::move(*seat.attempt);
    seat.attempt.reset();
    dismiss(seat);
    if (!attempt.isAgain) return postpone(std::move(attempt), failureText(status, reason));
    Row row = failedRow(attempt.job.sample, attempt.job.index, options_, status, reason);
    row.retried = attempt.job.retried;
    agenda_.take({report::jsonLines(row, *run_), ""});
  }

  void postpone(Attempt attempt, const std::string& failure) {
    attempt.isAgain = true;
    attempt.job.retried = failure;
    again_.push_back(std::move(attempt));
  }

  Agenda& agenda_;
  const Options& options_;
  std::vector<Seat> seats_;
  bool isDivided_ = false;         ///< whether compilers have processors of their own where a GPU is raced on
  std::optional<RunCache> cache_;  ///< in which compilers leave what they made
  std::optional<Compilers> compilers_;
  std::deque<Attempt> again_;  ///< samples that failed once
  std::optional<Run> run_;     ///< nothing before the first worker is ready
  int64_t kills_ = 0;          ///< killedForMemory() when the latest sample began
};

}  // namespace

void raceInWorkers(Agenda& agenda, const Options& options) { Supervisor(agenda, options).run(); }

}  // namespace opbench
