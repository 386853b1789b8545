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
#include "opbench/sweep/process.h"

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
};

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

bool isKilled(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }

bool isMemoryShort(const Finished& finished) {
  const results::Raced raced = results::racedOf(finished.lines, "worker", 1);
  return std::any_of(raced.row.outcomes.begin(), raced.row.outcomes.end(),
                     [](const Outcome& outcome) { return outcome.status == Status::Oom && !isEstimated(outcome); });
}

class Supervisor {
 public:
  Supervisor(Agenda& agenda, const Options& options) : agenda_(agenda), options_(options) {
    for (const std::string& device : options.devices) seats_.emplace_back().device = device;
    if (seats_.empty()) seats_.emplace_back().device = options.device;
  }

  void run() {
    for (;;) {
      for (Seat& seat : seats_) engage(seat);
      if (!isAnyBusy()) break;
      wait();
      for (Seat& seat : seats_) attend(seat);
    }
    if (!again_.empty())
      agenda_.complain(fmt::format("{} sample{} that failed once will be raced again by --resume", again_.size(),
                                   again_.size() == 1 ? "" : "s"));
  }

 private:
  bool isAnyBusy() const {
    return std::any_of(seats_.begin(), seats_.end(), [](const Seat& seat) { return seat.attempt.has_value(); });
  }

  /// Gives a seat that has nothing to do something, where there is.
  void engage(Seat& seat) {
    if (seat.attempt) return;
    seat.attempt = next(seat);
    if (!seat.attempt) return;
    if (!seat.worker) return start(seat);
    begin(seat);
  }

  std::optional<Attempt> next(Seat& seat) {
    if (auto job = agenda_.next()) return Attempt{std::move(*job), false};
    if (again_.empty() || agenda_.isInterrupted() || isAnyBusy()) return std::nullopt;
    // Alone: the other workers give back what memory they hold, too.
    for (Seat& other : seats_) dismiss(other);
    Attempt attempt = std::move(again_.front());
    again_.pop_front();
    dismiss(seat);
    return attempt;
  }

  void start(Seat& seat) {
    std::vector<std::string> arguments = raceArguments(options_);
    const auto add = [&](const char* name, const std::string& value) {
      if (!value.empty()) arguments.insert(arguments.end(), {name, value});
    };
    add("--worker", fmt::format("{},{},{}", options_.samples, options_.recorded.samples, options_.recorded.calls));
    add("--device", seat.device);
    add("--dump", options_.dump);
    add("--cache", options_.cache);
    if (options_.cache.empty()) arguments.emplace_back("--no-cache");
    add("--cases", options_.cases);
    if (options_.cases.empty()) arguments.emplace_back("--no-cases");
    seat.worker.emplace(arguments);
    seat.isReady = false;
    ++seat.starts;
    setDeadline(seat, startSeconds);
  }

  void begin(Seat& seat) {
    kills_ = killedForMemory();
    setDeadline(seat, options_.timeout);
    seat.worker->send(toLine(seat.attempt->job));
  }

  static void setDeadline(Seat& seat, double seconds) {
    seat.deadline = seconds > 0
                        ? Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))
                        : Clock::time_point::max();
  }

  static void dismiss(Seat& seat) {
    seat.worker.reset();
    seat.isReady = false;
  }

  /// Sleeps until a worker says something or its time is up, or the user interrupts; nothing runs beside what is being timed.
  void wait() {
    std::vector<pollfd> files;
    auto deadline = Clock::time_point::max();
    for (const Seat& seat : seats_) {
      if (!seat.attempt) continue;
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

  static bool hasMore(int file) {
    pollfd entry{file, POLLIN, 0};
    return file >= 0 && ::poll(&entry, 1, 0) > 0;
  }

  /// Hears what the seat's worker has to say, and whether it has ended or its time is up.
  void attend(Seat& seat) {
    if (!seat.attempt) return;
    while (hasMore(seat.worker->errors()) && seat.worker->readErrors()) {
    }
    if (hasMore(seat.worker->channel()) && !seat.worker->read()) return bury(seat);
    while (seat.worker && seat.attempt)
      if (const auto line = seat.worker->line())
        hear(seat, replyOf(*line));
      else
        break;
    if (seat.attempt && Clock::now() >= seat.deadline) giveUp(seat);
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
      agenda_.begin({*run_, ready.complaint});
    }
    begin(seat);
  }

  void conclude(Seat& seat, const Finished& finished) {
    const bool isFailure = !finished.lost.empty() || isMemoryShort(finished);
    Attempt attempt = std::move(*seat.attempt);
    seat.attempt.reset();
    if (isFailure) dismiss(seat);
    if (isFailure && !attempt.isAgain) return postpone(std::move(attempt));
    agenda_.take(finished);
  }

  /// The worker has ended in the middle of a sample.
  void bury(Seat& seat) {
    const int status = seat.worker->end();
    const std::string words = seat.worker->lastWords();
    if (!seat.isReady && WIFSIGNALED(status) && seat.starts < mostStarts) return start(seat);
    if (!seat.isReady)
      ir::fail(ir::ErrorKind::Toolchain, "a worker ended before it had begun, by {}: {}", endText(status), words);
    if (isKilled(status) && killedForMemory() > kills_)
      return fail(seat, Status::Oom, "the system ran out of memory and killed it");
    fail(seat, fatalStatus(words), words.empty() ? endText(status) : endText(status) + "; it said:\n" + words);
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
    if (!attempt.isAgain) return postpone(std::move(attempt));
    const Row row = failedRow(attempt.job.sample, attempt.job.index, options_, status, reason);
    agenda_.take({report::jsonLines(row, *run_), ""});
  }

  void postpone(Attempt attempt) {
    attempt.isAgain = true;
    again_.push_back(std::move(attempt));
  }

  Agenda& agenda_;
  const Options& options_;
  std::vector<Seat> seats_;
  std::deque<Attempt> again_;  ///< samples that failed once
  std::optional<Run> run_;     ///< nothing before the first worker is ready
  int64_t kills_ = 0;          ///< killedForMemory() when the latest sample began
};

}  // namespace

void raceInWorkers(Agenda& agenda, const Options& options) { Supervisor(agenda, options).run(); }

}  // namespace opbench
