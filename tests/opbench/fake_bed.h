#pragma once

#include <sys/types.h>

#include <string>

#include "tests/opbench/program_bed.h"

namespace tests {

/// Sweeps whose workers and compilers answer at once (tests/opbench/fake_worker), or wait where a test says so.
class FakeBed : public ProgramBed {
 public:
  explicit FakeBed(int samples);

  /// From now on a worker does not answer when it is handed this sample, until it is released.
  void hold(int index) const;
  /// Waits until a worker has been handed it; false where the sweep ends first.
  bool waitUntilHeld(int index, pid_t pid) const;
  void release(int index) const;

  /// So many workers, the next that start, never get ready.
  void stopWorkers(int number) const;
  /// How many of these have not started yet.
  int stopsLeft() const;

  /// Seconds, as an option takes them, in which this machine, as busy as it is, certainly starts a worker that answers: the whole
  /// program, which starts one, takes many times as long.
  static std::string patience();

 private:
  std::filesystem::path steering_ = folder.path / "steering";
};

}  // namespace tests
