#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include "inputs/descriptor.h"
#include "inputs/sample.h"
#include "opbench/results/sample_result.h"
#include "opbench/settings/options.h"

namespace opbench {

/// The results file (--json) as a sweep's journal: what append() has returned from is on the disk, whatever happens afterwards.
/// The earlier content of the file is replaced by the first lines, unless the run is resumed: a run that fails before them leaves
/// it.
class Journal {
 public:
  /// Opens the file, for `-` takes `out`, keeps nothing where there is none. With --resume, resume() is to be called. Errors:
  /// Input, for a file that cannot be written, that another run is writing, or whose disk has no room for the results of
  /// `samples`.
  Journal(const Options& options, std::ostream& out, size_t samples);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Hands on the samples that an earlier run has finished, and drops what it left half written; the note says so. Samples of a
  /// run of fewer samples get the numbers that they have now, and the file is written anew. Errors: Input where the file is not
  /// of a run of these options and this build, or has other samples; `mine` are the numbers of the samples that are to be raced.
  std::string resume(const std::vector<inputs::Sample>& samples, const std::vector<int>& mine,
                     const results::TakeSampleResult& take);

  /// Writes a sample's lines, all or none. Errors: Input, `cannot write FILE: why`, and as check().
  void append(std::string_view lines);
  /// Looks whether the file is still where it was opened, with all that was written. Error: Input, where somebody has removed,
  /// replaced or emptied it meanwhile; what was removed is put back.
  void check() const;

  /// A refusal of the file system that does not end the run: one line, or nothing.
  const std::string& complaint() const { return complaint_; }

 private:
  void openFile(size_t samples);
  void openRegular();
  void lock();
  void requireRoom(size_t samples) const;
  /// Puts a file with these lines alone in the place of an earlier run's.
  void replaceOld(std::string_view lines);
  void write(std::string_view lines);
  std::string putBack() const;
  [[noreturn]] void fail(int error) const;
  [[noreturn]] void fail(const std::string& why) const;

  const Options& options_;
  std::ostream* stream_ = nullptr;  ///< null where it is a file
  inputs::Descriptor file_;
  bool isRegular_ = false;  ///< neither a pipe nor a terminal nor a device
  bool isNew_ = false;      ///< whether this run has made it
  bool holdsOld_ = false;   ///< whether it has what the first lines are to replace
  size_t size_ = 0;         ///< in bytes of whole samples of ours
  std::string complaint_;
};

}  // namespace opbench
