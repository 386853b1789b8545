#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/memory.h"

namespace runtime {

/// Attributes the memory that tensors hold to the parts of a run, as these end.
class MemoryTrace {
 public:
  /// `operands` bytes lay there before the watch began: the first line.
  MemoryTrace(MemoryWatch& watch, int64_t operands);

  /// A part of this name ends: what was added since the last one ended is its. Parts of one name are one line.
  void end(const std::string& name);
  std::vector<MemoryLine> take() { return std::move(lines_); }

 private:
  MemoryWatch& watch_;
  int64_t operands_, last_;  ///< bytes; what is held since the last part ended
  std::vector<MemoryLine> lines_;
  std::map<std::string, size_t> lineOf_;  ///< by name
};

}  // namespace runtime
