#pragma once

#include <vector>

#include "codegen/plan.h"

namespace codegen {

/// Which step of a plan is the first to need each memory, and which the last. Memories have the numbers of memoryOf().
class Lifetimes {
 public:
  /// `graph` is the plan's, with its intermediates.
  Lifetimes(const Plan& plan, const ir::Graph& graph);

  size_t memories() const { return values_.size(); }
  int memoryOf(int value) const { return memories_[static_cast<size_t>(value)]; }
  /// The values that lie in a memory.
  const std::vector<int>& valuesIn(int memory) const { return values_[static_cast<size_t>(memory)]; }
  /// Whether runs make a memory: no input lies there, nor the generator.
  bool isMade(int memory) const { return !isGiven_[static_cast<size_t>(memory)]; }
  /// The values of a step, each once: the values that it reads, writes or makes.
  const std::vector<int>& valuesOf(size_t step) const { return ofSteps_[step]; }
  /// The first step that has to do with a memory, and the last one; -1 where none has. Outputs are needed to the end, which is
  /// the number of steps.
  int first(int memory) const { return first_[static_cast<size_t>(memory)]; }
  int last(int memory) const { return last_[static_cast<size_t>(memory)]; }

 private:
  std::vector<int> memories_;             ///< by value
  std::vector<std::vector<int>> values_;  ///< by memory
  std::vector<bool> isGiven_;             ///< by memory
  std::vector<std::vector<int>> ofSteps_;
  std::vector<int> first_, last_;  ///< by memory: steps
};

}  // namespace codegen
