#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include "inputs/descriptor.h"
#include "inputs/sample.h"
#include "opbench/options.h"
#include "opbench/results/raced.h"

namespace opbench {

/// The results file (--json) as a sweep's journal: what append() has returned from is on the disk, whatever happens afterwards.
class Journal {
 public:
  /// Opens the file, for `-` takes `out`, keeps nothing where there is none. Without --resume what was in the file is gone; with
  /// it, resume() is to be called. Errors: Input, for a file that cannot be written, that another run is writing, or whose disk
  /// has no room for the results of `samples`.
  Journal(const Options& options, std::ostream& out, size_t samples);

  /// Hands on the samples that an earlier run has finished, and drops what it left half written; the note says so. Errors: Input
  /// where the file is not of a run of these options, samples and this build; `mine` are the numbers of those that are to be
  /// raced.
  std::string resume(const std::vector<inputs::Sample>& samples, const std::vector<int>& mine, const results::TakeRaced& take);

  /// Writes a sample's lines, all or none. Errors: Input, `cannot write FILE: why`.
  void append(std::string_view lines);

 private:
  void openFile(size_t samples);
  void writeAll(std::string_view text);
  [[noreturn]] void fail(int error) const;

  const Options& options_;
  std::ostream* stream_ = nullptr;  ///< null where it is a file
  inputs::Descriptor file_;
  size_t size_ = 0;  ///< of the file, in bytes of whole samples
};

}  // namespace opbench
