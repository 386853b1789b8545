#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runtime/build/cache.h"
#include "tests/opbench/temporary_folder.h"

namespace tests {

/// Sweeps of small samples on the CPU by the program beside this one, in a folder of their own.
class ProgramBed {
 public:
  /// With a cache that has the CPU's ceilings, or without one, which the first run makes.
  explicit ProgramBed(int samples, bool hasCache = true);

  /// Where runs keep what they compile, and their user's key.
  runtime::CacheSettings cacheSettings() const { return {folder.path / "cache", folder.path / "state/opbench/cache.key"}; }

  /// Starts the program with variables set beside those there are, and the user's state in the folder; its process. Its standard
  /// output goes to a file, by default to `out` in the folder.
  pid_t launch(std::vector<std::string> words, std::vector<std::string> variables, const std::string& output = "") const;
  /// Starts a sweep of the samples.
  pid_t start(const std::vector<std::string>& extra, const std::vector<std::string>& variables = {}) const;
  static int wait(pid_t pid);
  int run(const std::vector<std::string>& extra = {}, const std::vector<std::string>& variables = {}) const {
    return wait(start(extra, variables));
  }
  int program(const std::vector<std::string>& words) const { return wait(launch(words, {})); }

  std::string json() const { return folder.path / "r.jsonl"; }
  std::string out() const { return contentOf(folder.path / "out"); }
  std::string err() const { return contentOf(folder.path / "err"); }

  /// The status of each sample in the file, by its number; checks that each is there once.
  std::map<int, std::string> statuses() const;
  /// What was done with each sample's kernels: `precompiled`, `precompiled cached`, `here`, or how the compiler ended.
  std::map<int, std::string> compilations() const;
  std::string reasonOf(int index) const;

  TemporaryFolder folder;

 protected:
  std::vector<std::string> words_, variables_;  ///< of every sweep, beside the test's
};

/// The same text for each of so many samples; their statuses where nothing happened to them.
std::map<int, std::string> all(int samples, const std::string& what);
std::map<int, std::string> allOk(int samples);

/// The child processes of one.
std::vector<pid_t> childrenOf(pid_t pid);

/// Seconds, as an option takes them, in which this machine, as busy as it is, certainly starts a worker that races a sample.
std::string patience();

void sleepFor(int milliseconds);

/// Whether a child of ours has ended; wait() still tells how.
bool hasEnded(pid_t pid);

/// Waits until the file of results has so many bytes; false where the sweep ends first.
bool waitForBytes(const std::filesystem::path& file, pid_t pid, size_t bytes);

}  // namespace tests
