#pragma once

#include <optional>
#include <string>

#include "opbench/settings/options.h"
#include "opbench/sweep/messages.h"

namespace opbench {

/// The jobs of a sweep, as those see them who do them, here or in workers.
class Agenda {
 public:
  virtual ~Agenda() = default;
  /// The device is open, on which all is raced.
  virtual void begin(const Ready& ready) = 0;
  /// The next sample to race; nothing once there is none, or the user has interrupted the sweep.
  virtual std::optional<Job> next() = 0;
  /// A sample that next() handed out begins to be raced; the job then says how many cases may be written of it.
  virtual void start(Job& job) = 0;
  virtual bool isInterrupted() const = 0;
  /// A sample has been raced: it is done once this returns.
  virtual void take(const Finished& finished) = 0;
  /// Reports a problem that does not end the sweep: one line.
  virtual void complain(const std::string& what) = 0;
};

/// Does it all in this process. Errors: NoDevice; Toolchain, where a sample has made the device unusable.
void raceHere(Agenda& agenda, const Options& options);

/// Does it all in a worker process a device, which starts when there is something to do, and is replaced where a sample kills it.
/// Such a sample, and one that takes longer than Options::timeout or more memory than there is, is raced once more, by a new
/// worker and while no other works; what becomes of it then stands. Errors: NoDevice; Toolchain, where workers cannot be started.
void raceInWorkers(Agenda& agenda, const Options& options);

}  // namespace opbench
