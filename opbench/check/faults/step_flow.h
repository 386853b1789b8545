#pragma once

#include <vector>

#include "codegen/accesses.h"
#include "codegen/lifetimes.h"
#include "codegen/plan.h"
#include "ir/memories.h"

namespace opbench {

/// The data flow between the steps of a network's plan, memory by memory.
class StepFlow {
 public:
  explicit StepFlow(const codegen::Plan& plan);

  size_t steps() const { return accesses_.size(); }
  const codegen::Access& operator[](size_t step) const { return accesses_[step]; }
  /// The plan's graph with its intermediates.
  const ir::Graph& graph() const { return graph_; }
  const ir::GraphValue& valueOf(int value) const { return graph_.values[static_cast<size_t>(value)]; }
  int64_t bytesOf(int value) const { return ir::bytesOf(valueOf(value)); }
  bool isFloating(int value) const { return ir::isFloating(valueOf(value).type.dtype); }
  /// Whether a value is all of its memory.
  bool covers(int value) const { return ir::covers(graph_, value); }

  /// The first of some values that lies in memory of others; -1 where none does.
  int common(const std::vector<int>& values, const std::vector<int>& others) const;
  /// Whether the memory of a value holds something before a step.
  bool isKnown(int value, size_t step) const { return firstWrites_[memoryOf(value)] < static_cast<int>(step); }
  /// The first step that writes the memory of a value; -1 for what is given.
  int firstWrite(int value) const { return firstWrites_[memoryOf(value)]; }
  /// Whether what a step writes depends on the inputs.
  bool isVaried(size_t step) const { return isVaried_[step]; }
  /// Whether nothing between two steps keeps the later one from coming right after the earlier one.
  bool mayMeet(size_t earlier, size_t later) const;
  /// Whether these steps of the plan can be carried out: calls find what they read, and what launches are the first to need can
  /// be made.
  bool canRun(const std::vector<codegen::Step>& steps) const;

 private:
  size_t memoryOf(int value) const { return static_cast<size_t>(lifetimes_.memoryOf(value)); }
  bool mayPass(const codegen::Access& earlier, const codegen::Access& later) const;

  const codegen::Plan& plan_;
  const ir::Graph graph_;
  const codegen::Lifetimes lifetimes_;
  std::vector<codegen::Access> accesses_;  ///< by step
  std::vector<bool> isVaried_;             ///< by step
  std::vector<int> firstWrites_;           ///< by memory
};

}  // namespace opbench
