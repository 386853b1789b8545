#include <fmt/ranges.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <deque>
#include <fstream>
#include <set>

#include "ir/error.h"
#include "opbench/cli/arguments.h"
#include "opbench/report/json.h"
#include "opbench/results/raced.h"
#include "opbench/run/memory.h"
#include "opbench/run/outcome.h"
#include "opbench/sweep/agenda.h"
#include "opbench/sweep/run_cache.h"
#include "opbench/sweep/workers/compilers.h"
#include "opbench/sweep/workers/process.h"
#include "runtime/cpu/host.h"

namespace opbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int mostStarts = 2;             // of workers in a row that end before they have opened their device
constexpr double leastStartSeconds = 60;  // that a worker has to open its device, and to measure it where that is due

/// A sample that is being raced, for the first time or once more.
struct Attempt {
  Job job;
  bool isAgain = false;
};

/// Where a worker races on a device, one after another.
struct Seat {
  std::string device;
  std::optional<Process> worker;
  bool isReady = false;   ///< the worker has opened its device
  int starts = 0;         ///< since one was ready last
  bool isClosed = false;  ///< no worker starts there any more
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
    cache_.emplace(options.cache, number > 0);
    for (const std::string& complaint : cache_->complaints()) complain(complaint);
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
    if (seat.isClosed || seat.isBusy() || compilers_->isInTheWay()) return;
    if (!seat.worker && compilers_->hasMore()) return start(seat);
    seat.attempt = next(seat);
    if (!seat.attempt) return;
    if (!seat.worker) return start(seat);
    begin(seat);
  }

  std::optional<Attempt> next(Seat& seat) {
    if (!givenBack_.empty() && !agenda_.isInterrupted()) return takeFirst(givenBack_);
    if (auto job = compilers_->next()) return Attempt{std::move(*job), false};
    if (again_.empty() || agenda_.isInterrupted() || isAnyBusy()) return std::nullopt;
    // Alone: the other workers give back what memory they hold, too.
    for (Seat& other : seats_) dismiss(other);
    dismiss(seat);
    return takeFirst(again_);
  }

  static Attempt takeFirst(std::deque<Attempt>& attempts) {
    Attempt first = std::move(attempts.front());
    attempts.pop_front();
    return first;
  }

  /// What workers and compilers have in common.
  std::vector<std::string> processArguments(const std::vector<int>& processors) const {
    std::vector<std::string> arguments = raceArguments(options_);
    const std::vector<std::string> cache = cacheArguments(cache_->settings());
    arguments.insert(arguments.end(), cache.begin(), cache.end());
    if (!processors.empty()) arguments.insert(arguments.end(), {"--processors", fmt::format("{}", fmt::join(processors, ","))});
    return arguments;
  }

  void start(Seat& seat) {
    std::vector<std::string> arguments = processArguments(seat.processors);
    const auto add = [&](const char* name, const std::string& value) {
      if (!value.empty()) arguments.insert(arguments.end(), {name, value});
    };
    add("--worker", fmt::format("{},{},{}", options_.samples, options_.recorded.samples, options_.recorded.calls));
    add("--shard", toText(options_.shard));
    add("--device", seat.device);
    add("--dump", options_.dump);
    add("--cases", options_.cases);
    if (options_.cases.empty()) arguments.emplace_back("--no-cases");
    seat.worker.emplace(arguments);
    seat.isReady = false;
    ++seat.starts;
    seat.deadline = deadlineAfter(startSeconds());
  }

  double startSeconds() const {
    if (options_.startTimeout) return *options_.startTimeout;
    return options_.timeout == 0 ? 0 : std::max(options_.timeout, leastStartSeconds);
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
        hear(seat, *line);
      else
        break;
    if (seat.attempt && seat.worker->floods()) return drown(seat);
    if (seat.isBusy() && Clock::now() >= seat.deadline) giveUp(seat);
  }

  /// A reply, and for a sample that was raced why it should be raced once more.
  struct Heard {
    Reply reply;
    std::string failure;
  };

  /// Nothing where a line is none that a worker writes.
  static std::optional<Heard> heardIn(const std::string& line) {
    try {
      Heard heard{replyOf(line), ""};
      if (const auto* finished = std::get_if<Finished>(&heard.reply)) heard.failure = failureOf(*finished);
      return heard;
    } catch (const ir::Error&) {
      return std::nullopt;
    }
  }

  void hear(Seat& seat, const std::string& line) {
    const auto heard = heardIn(line);
    const bool isAnswer = heard && std::holds_alternative<Finished>(heard->reply) == seat.isReady;
    if (!isAnswer) return silence(seat);
    const Reply& reply = heard->reply;
    if (const auto* ready = std::get_if<Ready>(&reply)) welcome(seat, *ready);
    if (const auto* finished = std::get_if<Finished>(&reply)) conclude(seat, *finished, heard->failure);
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
      agenda_.begin({*run_, ready.target, {}});
    }
    for (const std::string& complaint : ready.complaints) complain(complaint);
    compilers_->open(ready.target, ready.target.backend == ir::Backend::Cpu || !isDivided_);
    if (seat.attempt) begin(seat);
  }

  void conclude(Seat& seat, const Finished& finished, const std::string& failure) {
    Attempt attempt = std::move(*seat.attempt);
    seat.attempt.reset();
    if (!failure.empty()) dismiss(seat);
    if (!failure.empty() && !attempt.isAgain) return postpone(std::move(attempt), failure);
    agenda_.take(finished);
  }

  /// Once, whichever workers have the same to say.
  void complain(const std::string& what) {
    if (complaints_.insert(what).second) agenda_.complain(what);
  }

  /// The worker has ended.
  void bury(Seat& seat) {
    const auto status = seat.worker->end();
    if (!seat.isReady) return loseStart(seat, fmt::format("a worker ended before it had begun, by {}", seat.worker->ending()));
    if (status && isKilled(*status) && killedForMemory() > kills_)
      return fail(seat, Status::Oom, "the system ran out of memory and killed it");
    fail(seat, fatalStatus(seat.worker->lastWords()), seat.worker->ending());
  }

  /// Its time is up.
  void giveUp(Seat& seat) {
    if (!seat.isReady) return loseStart(seat, fmt::format("a worker has not begun after {} s", startSeconds()));
    fail(seat, Status::Timeout, fmt::format("it takes longer than {} s{}", options_.timeout, lastWordsOf(end(seat))));
  }

  /// The sample has it write without end.
  void drown(Seat& seat) { fail(seat, Status::Crash, "it wrote without end" + lastWordsOf(end(seat))); }

  /// It says what is no reply.
  void silence(Seat& seat) {
    if (!seat.isReady) return loseStart(seat, "a worker began with what is no reply");
    fail(seat, Status::Crash, "its worker answered with what is no reply" + lastWordsOf(end(seat)));
  }

  /// Ends a worker; one that the system does not let go of is left to itself, and another one is tried in its place.
  Process& end(Seat& seat) {
    const pid_t pid = seat.worker->pid();
    if (!seat.worker->end()) agenda_.complain(fmt::format("worker {} cannot be ended, and is left to itself", pid));
    return *seat.worker;
  }

  static std::string lastWordsOf(const Process& process) {
    const std::string words = process.lastWords();
    return words.empty() ? "" : "; it said:\n" + words;
  }

  /// A worker did not get as far as its first sample. One more is tried; then the others have to do without.
  void loseStart(Seat& seat, const std::string& how) {
    end(seat);
    if (seat.starts < mostStarts) return start(seat);
    if (seat.attempt) (seat.attempt->isAgain ? again_ : givenBack_).push_front(std::move(*seat.attempt));
    seat.attempt.reset();
    dismiss(seat);
    seat.isClosed = true;
    const bool isLast = std::all_of(seats_.begin(), seats_.end(), [](const Seat& other) { return other.isClosed; });
    if (isLast) ir::fail(ir::ErrorKind::Toolchain, "{}", how);
    agenda_.complain(fmt::format("{}: {} is not used any more", how, seat.device));
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
  bool isDivided_ = false;         ///< whether compilers have processors of their own where a GPU is raced on
  std::optional<RunCache> cache_;  ///< that workers and compilers use
  std::vector<Seat> seats_;
  std::optional<Compilers> compilers_;
  std::deque<Attempt> again_;         ///< samples that failed once
  std::optional<Run> run_;            ///< nothing before the first worker is ready
  std::deque<Attempt> givenBack_;     ///< of workers that never began
  std::set<std::string> complaints_;  ///< what the user was told
  int64_t kills_ = 0;                 ///< killedForMemory() when the latest sample began
};

}  // namespace

void raceInWorkers(Agenda& agenda, const Options& options) { Supervisor(agenda, options).run(); }

}  // namespace opbench
