#pragma once

#include <poll.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "opbench/process/process.h"
#include "opbench/sweep/agenda.h"

namespace opbench {

/// Compiles an agenda's samples ahead of their turn, in processes of their own, of which each has one sample at a time. What a
/// sample does to such a process costs that compilation: the sample is raced all the same, and compiled then.
class Compilers {
 public:
  using Clock = std::chrono::steady_clock;

  /// Processes of a program, started with these arguments each; none leaves all to who races.
  Compilers(Agenda& agenda, std::string program, std::vector<std::vector<std::string>> arguments, double timeout);

  /// Sets the target: nothing is compiled before it is known. Where `shares` they share processors with what is timed: they
  /// then compile a batch of samples at a time.
  void open(const ir::Target& target, bool shares);

  /// Hands out what there is to compile; where they share processors, only if no sample is being timed.
  void work(bool isTiming);
  /// Whether one of them is compiling, or is about to, in the way of timed runs.
  bool isInTheWay() const { return shares_ && isCompiling(); }
  bool isCompiling() const;
  /// How many of their processes compute on the first GPU.
  int onGpu() const;

  /// Whether there will be a sample to race.
  bool hasMore();
  /// The first job whose compilation is over; nothing where there is none yet.
  std::optional<Job> next();

  /// Adds what to poll, and when to look again at the latest.
  void watch(std::vector<pollfd>& files, Clock::time_point& deadline) const;
  /// Hears what they have to say, and whether one has ended or its time is up.
  void attend();

 private:
  struct Slot {
    std::vector<std::string> arguments;
    std::optional<Process> process{};
    std::optional<Job> job{};
    Clock::time_point deadline = Clock::time_point::max();
    int losses = 0;  ///< of processes, since one did a job
    int onGpu = 0;   ///< processes that compute on the GPU: its own, and one that this has started
  };

  void start(Slot& slot) const;
  bool isOpen() const { return !target_.empty() && !slots_.empty(); }
  size_t most() const { return 4 * slots_.size(); }  ///< samples that are ahead of their turn
  size_t waiting() const;
  void hand(Slot& slot);
  void hear(Slot& slot, const std::string& line);
  void finish(Slot& slot, std::optional<Compilation> compilation);
  void lose(Slot& slot, const std::string& how);
  void attend(Slot& slot);

  Agenda& agenda_;
  const std::string program_;
  const double timeout_;
  std::vector<Slot> slots_;
  std::string lastLoss_;  ///< how the last process was lost
  std::string target_;    ///< as a line; empty until it is known
  bool shares_ = false;
  size_t batch_ = 0;             ///< samples that are yet to be handed out before one is timed
  std::optional<Job> upcoming_;  ///< taken from the agenda, and not handed out yet
  std::map<int, Job> ready_;     ///< whose compilation is over, by number
};

}  // namespace opbench
