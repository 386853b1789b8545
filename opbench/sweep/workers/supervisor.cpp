#include <fmt/ranges.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <deque>
#include <filesystem>
#include <set>

#include "ir/error.h"
#include "opbench/results/sample_result.h"
#include "opbench/results/write.h"
#include "opbench/run/outcome.h"
#include "opbench/settings/arguments.h"
#include "opbench/sweep/agenda.h"
#include "opbench/sweep/run_cache.h"
#include "opbench/sweep/workers/compilers.h"
#include "opbench/sweep/workers/processors.h"
#include "opbench/sweep/workers/worker_reply.h"
#include "opbench/sweep/workers/worker_slot.h"
#include "runtime/cpu/host.h"
#include "runtime/cpu/processors.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"

namespace opbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int mostStarts = 2;             // of workers in a row that end before they have opened their device
constexpr double leastStartSeconds = 60;  // that a worker has to open its device, and to measure it where that is due

bool isKilled(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }

/// A folder that is there for workers that may make none, and goes where they have left it empty.
class OfferedFolder {
 public:
  explicit OfferedFolder(const std::string& folder) {
    std::error_code error;  // whoever writes to it says so
    if (!folder.empty() && std::filesystem::create_directories(folder, error)) made_ = folder;
  }
  ~OfferedFolder() {
    if (!made_.empty()) ::rmdir(made_.c_str());
  }
  OfferedFolder(const OfferedFolder&) = delete;
  OfferedFolder& operator=(const OfferedFolder&) = delete;

 private:
  std::string made_;
};

class Supervisor {
 public:
  Supervisor(Agenda& agenda, const Options& options)
      : agenda_(agenda),
        options_(options),
        program_(options.workerProgram.empty() ? std::string(thisProgram) : options.workerProgram) {
    for (const std::string& device : options.devices) slots_.emplace_back().device = device;
    if (slots_.empty()) slots_.emplace_back().device = options.device;
    const std::vector<int> processors = runtime::allowedProcessors();
    const ProcessorShares shares = divideProcessors(processors, slots_.size());
    const int number = compilersFor(options, shares, processors.size());
    isDivided_ = number > 0 && !shares.compilers.empty();
    const auto ofWorkers = isDivided_ ? shares.workers : shareOut(processors, static_cast<int>(slots_.size()));
    for (size_t i = 0; i < slots_.size(); ++i) slots_[i].processors = ofWorkers[i];
    cache_.emplace(options.cache, number > 0);
    for (const std::string& complaint : cache_->complaints()) complain(complaint);
    std::vector<std::vector<std::string>> compilers;
    for (const std::vector<int>& share : shareOut(isDivided_ ? shares.compilers : processors, number))
      compilers.emplace_back(processArguments(share)).emplace_back("--compiler");
    compilers_.emplace(agenda, program_, std::move(compilers), options.timeout);
  }

  void run() {
    for (;;) {
      compilers_->work(isAnyRacing());
      for (WorkerSlot& slot : slots_) assign(slot);
      if (!isAnyBusy()) break;
      wait();
      compilers_->attend();
      for (WorkerSlot& slot : slots_) attend(slot);
    }
    if (!again_.empty())
      agenda_.complain(fmt::format("{} sample{} failed once, or {} too fast, and will be raced again by --resume", again_.size(),
                                   again_.size() == 1 ? "" : "s", again_.size() == 1 ? "was" : "were"));
  }

 private:
  bool isAnyRacing() const {
    return std::any_of(slots_.begin(), slots_.end(), [](const WorkerSlot& slot) { return slot.attempt.has_value(); });
  }
  bool isAnyBusy() const {
    if (compilers_->isCompiling() && !agenda_.isInterrupted()) return true;
    return std::any_of(slots_.begin(), slots_.end(), [](const WorkerSlot& slot) { return slot.isBusy(); });
  }

  /// Gives a slot that has nothing to do something, where there is.
  void assign(WorkerSlot& slot) {
    if (slot.isClosed || slot.isBusy() || compilers_->isInTheWay()) return;
    if (!slot.worker && compilers_->hasMore()) return start(slot);
    slot.attempt = next();
    if (!slot.attempt) return;
    if (!slot.worker) return start(slot);
    begin(slot);
  }

  std::optional<Attempt> next() {
    if (!givenBack_.empty() && !agenda_.isInterrupted()) return takeFirst(givenBack_);
    if (auto job = compilers_->next()) return Attempt{std::move(*job), false};
    if (again_.empty() || agenda_.isInterrupted() || isAnyBusy()) return std::nullopt;
    // Alone: the other workers give back what memory they hold, too. What was doubtful needs a process that did not race it
    // before.
    const bool isDoubted = again_.front().job.doubt.has_value();
    if (!isDoubted || !isFresh_)
      for (WorkerSlot& each : slots_) each.stop();
    isFresh_ = isDoubted;
    return takeFirst(again_);
  }

  static Attempt takeFirst(std::deque<Attempt>& attempts) {
    Attempt first = std::move(attempts.front());
    attempts.pop_front();
    return first;
  }

  /// The arguments that workers and compilers have in common.
  std::vector<std::string> processArguments(const std::vector<int>& processors) const {
    std::vector<std::string> arguments = raceArguments(options_);
    const std::vector<std::string> cache = cacheArguments(cache_->settings());
    arguments.insert(arguments.end(), cache.begin(), cache.end());
    arguments.insert(arguments.end(), {"--timeout", fmt::format("{}", options_.timeout)});  // Inductor has a share of it
    if (!options_.profile.folder.empty()) arguments.insert(arguments.end(), {"--traces", toText(options_.profile)});
    if (!options_.timeline.empty()) arguments.insert(arguments.end(), {"--timeline", options_.timeline});
    if (!processors.empty()) arguments.insert(arguments.end(), {"--processors", fmt::format("{}", fmt::join(processors, ","))});
    return arguments;
  }

  void start(WorkerSlot& slot) {
    std::vector<std::string> arguments = processArguments(slot.processors);
    const auto add = [&](const char* name, const std::string& value) {
      if (!value.empty()) arguments.insert(arguments.end(), {name, value});
    };
    add("--worker", fmt::format("{},{},{}", options_.samples, options_.recorded.samples, options_.recorded.calls));
    if (!options_.selection.empty()) arguments.push_back("--selection=" + options_.selection);
    add("--started", options_.started);
    add("--shard", toText(options_.shard));
    add("--device", slot.device);
    add("--dump", options_.dump);
    add("--cases", options_.cases);
    if (options_.cases.empty()) arguments.emplace_back("--no-cases");
    slot.start(program_, arguments, startSeconds());
  }

  double startSeconds() const {
    if (options_.startTimeout) return *options_.startTimeout;
    return options_.timeout == 0 ? 0 : std::max(options_.timeout, leastStartSeconds);
  }

  void begin(WorkerSlot& slot) {
    kills_ = runtime::killedForMemory();
    slot.deadline = deadlineAfter(options_.timeout);
    agenda_.start(slot.attempt->job);
    slot.attempt->job.compilersOnGpu = compilers_->onGpu();
    slot.worker->send(toLine(slot.attempt->job));
  }

  /// Sleeps until a worker says something or its time is up, or the user interrupts; nothing runs beside what is being timed.
  void wait() {
    std::vector<pollfd> files;
    auto deadline = Clock::time_point::max();
    compilers_->watch(files, deadline);
    for (const WorkerSlot& slot : slots_) slot.watch(files, deadline);
    ::poll(files.data(), files.size(), millisecondsUntil(deadline));
  }

  static int millisecondsUntil(Clock::time_point deadline) {
    if (deadline == Clock::time_point::max()) return -1;
    const double left = std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
    return static_cast<int>(std::clamp(std::ceil(left), 0.0, 1e9));
  }

  /// Hears what the slot's worker has to say, and whether it has ended or its time is up.
  void attend(WorkerSlot& slot) {
    if (!slot.isBusy()) return;
    if (!slot.worker->hear()) return onExit(slot);
    while (slot.isBusy())
      if (const auto line = slot.worker->line())
        onLine(slot, *line);
      else
        break;
    if (slot.attempt && slot.worker->floods()) return onFlood(slot);
    if (slot.isBusy() && Clock::now() >= slot.deadline) onTimeout(slot);
  }

  void onLine(WorkerSlot& slot, const std::string& line) {
    std::optional<WorkerReply> said;
    try {
      said = workerReplyIn(line);
    } catch (const ir::Error& error) {
      return onNoReply(slot, error.what());
    }
    if (std::holds_alternative<Finished>(said->reply) != slot.isReady) return onNoReply(slot, "it answers what was not asked");
    const Reply& reply = said->reply;
    if (const auto* ready = std::get_if<Ready>(&reply)) onReady(slot, *ready);
    if (const auto* finished = std::get_if<Finished>(&reply)) onFinished(slot, *finished, said->failure);
    if (const auto* refused = std::get_if<Refused>(&reply)) {
      if (refused->lacksDevice) throw runtime::NoDevice(refused->message);
      ir::fail(refused->isUsers ? ir::ErrorKind::Input : ir::ErrorKind::Toolchain, "{}", refused->message);
    }
  }

  void onReady(WorkerSlot& slot, const Ready& ready) {
    slot.isReady = true;
    slot.starts = 0;
    if (!run_) {
      run_ = ready.run;
      run_->contenders = contendersOfCalls(options_.contenders);
      agenda_.begin({*run_, ready.target, {}});
    }
    for (const std::string& complaint : ready.complaints) complain(complaint);
    const bool triesKernels = options_.races(Contender::Inductor);  // on the GPU, as it compiles
    compilers_->open(ready.target, ready.target.backend == ir::Backend::Cpu || !isDivided_ || triesKernels);
    if (slot.attempt) begin(slot);
  }

  void onFinished(WorkerSlot& slot, const Finished& finished, const std::string& failure) {
    Attempt attempt = slot.takeAttempt();
    const results::SampleResult result = results::sampleResultOf(finished.lines, "results", 1);
    // Who cheats may have changed the process.
    const bool isSuspect = std::any_of(result.row.outcomes.begin(), result.row.outcomes.end(),
                                       [](const Outcome& outcome) { return outcome.status == Status::Suspect; });
    if (!failure.empty() || options_.freshWorkers || isSuspect) slot.stop();
    if (!failure.empty() && !attempt.isAgain) return postpone(std::move(attempt), failure);
    if (!attempt.isAgain) {
      attempt.job.doubt = doubtOf(result.row, result.run);
      if (attempt.job.doubt) return postpone(std::move(attempt), "");
    }
    agenda_.take(finished);
  }

  /// Once, whichever workers have the same to say.
  void complain(const std::string& what) {
    if (complaints_.insert(what).second) agenda_.complain(what);
  }

  /// The worker has ended.
  void onExit(WorkerSlot& slot) {
    const auto status = slot.worker->end();
    if (!slot.isReady) return onFailedStart(slot, fmt::format("worker died during startup ({})", slot.worker->ending()));
    if (status && isKilled(*status) && runtime::killedForMemory() > kills_)
      return fail(slot, Status::Oom, "killed by the system: out of memory");
    fail(slot, fatalStatus(slot.worker->lastWords()), slot.worker->ending());
  }

  /// Fails the sample of a worker whose time is up.
  void onTimeout(WorkerSlot& slot) {
    if (!slot.isReady) return onFailedStart(slot, fmt::format("worker startup timed out after {} s", startSeconds()));
    fail(slot, Status::Timeout, fmt::format("timed out after {} s{}", options_.timeout, lastWordsOf(end(slot))));
  }

  /// The sample has it write without end.
  void onFlood(WorkerSlot& slot) {
    fail(slot, Status::Crash, "wrote too much to standard output or error" + lastWordsOf(end(slot)));
  }

  /// It says what is no reply.
  void onNoReply(WorkerSlot& slot, const std::string& why) {
    if (!slot.isReady) return onFailedStart(slot, "worker started with an unreadable reply: " + why);
    fail(slot, Status::Crash, "worker sent an unreadable reply: " + why + lastWordsOf(end(slot)));
  }

  /// Ends a worker; one that the system does not let go of is left to itself, and another one is tried in its place.
  Process& end(WorkerSlot& slot) {
    const pid_t pid = slot.worker->pid();
    if (!slot.worker->end()) agenda_.complain(fmt::format("worker {} cannot be killed; it is abandoned", pid));
    return *slot.worker;
  }

  static std::string lastWordsOf(const Process& process) {
    const std::string words = process.lastWords();
    return words.empty() ? "" : "; its last output:\n" + words;
  }

  /// A worker did not get as far as its first sample. One more is tried; then the others have to do without.
  void onFailedStart(WorkerSlot& slot, const std::string& how) {
    end(slot);
    if (slot.starts < mostStarts) return start(slot);
    if (slot.attempt) (slot.attempt->isAgain ? again_ : givenBack_).push_front(slot.takeAttempt());
    slot.stop();
    slot.isClosed = true;
    const bool isLast = std::all_of(slots_.begin(), slots_.end(), [](const WorkerSlot& other) { return other.isClosed; });
    if (isLast) ir::fail(ir::ErrorKind::Toolchain, "{}", how);
    agenda_.complain(fmt::format("{}; {} is not used any more", how, slot.device));
  }

  void fail(WorkerSlot& slot, Status status, const std::string& reason) {
    Attempt attempt = slot.takeAttempt();
    slot.stop();
    if (!attempt.isAgain) return postpone(std::move(attempt), failureText(status, reason));
    Row row = failedRow(attempt.job.sample, attempt.job.index, options_, status, reason);
    row.retried = attempt.job.retried;
    agenda_.take({results::jsonLines(row, *run_), ""});
  }

  void postpone(Attempt attempt, const std::string& failure) {
    attempt.isAgain = true;
    attempt.job.retried = failure;
    again_.push_back(std::move(attempt));
  }

  Agenda& agenda_;
  const Options& options_;
  const std::string program_;      ///< of workers and compilers
  bool isDivided_ = false;         ///< whether compilers have processors of their own where a GPU is raced on
  std::optional<RunCache> cache_;  ///< that workers and compilers use
  std::vector<WorkerSlot> slots_;
  std::optional<Compilers> compilers_;
  std::deque<Attempt> again_;         ///< samples that failed once, or were doubtfully fast
  bool isFresh_ = false;              ///< the worker has raced only samples that were doubtful before
  std::optional<Run> run_;            ///< nothing before the first worker is ready
  std::deque<Attempt> givenBack_;     ///< of workers that never began
  std::set<std::string> complaints_;  ///< that the user was told
  int64_t kills_ = 0;                 ///< runtime::killedForMemory() when the latest sample began
};

}  // namespace

void raceInWorkers(Agenda& agenda, const Options& options) {
  const OfferedFolder cases(options.programs.empty() ? "" : options.cases);
  Supervisor(agenda, options).run();
}

}  // namespace opbench
