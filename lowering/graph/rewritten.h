#pragma once

#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace lowering {

/// A graph that is written anew, call by call. Its values keep their numbers, and new ones come after them.
class Rewritten {
 public:
  explicit Rewritten(const ir::Graph& graph) : result_(graph) { result_.nodes.clear(); }

  const ir::GraphValue& valueOf(int value) const { return result_.values[static_cast<size_t>(value)]; }
  void add(ir::Node node) { result_.nodes.push_back(std::move(node)); }
  /// Says that all calls have been added that the next call of the graph became; the last of them stands for it.
  void endCall() { endCall(nextCall_); }
  /// The same of a call out of its turn.
  void endCall(int call);

  /// A new value of a type like this one's, in memory of its own.
  int likeOf(int value, std::string_view ending);
  /// A new value of this name and type, in memory of its own.
  int newValue(std::string name, ir::TensorType type);
  /// A new value that shows a part of a value's memory: its name, its type, and where it begins, in elements.
  int partOf(int value, std::string name, ir::TensorType type, int64_t offset);
  /// A contiguous value in other sizes.
  int viewOf(int value, const std::vector<int64_t>& sizes, const ir::Scope& scope);
  /// Moves a value into the memory of another one, `in`: it lies there as `placed` says, `offset` elements further on.
  void place(int value, int in, const ir::GraphValue& placed, int64_t offset);

  ir::Graph result();

 private:
  int addValue(ir::GraphValue value);
  /// The value, whose memory others may share.
  int shared(int value);

  ir::Graph result_;
  std::vector<int> places_;  ///< of the graph's calls among the result's
  int nextCall_ = 0;
};

}  // namespace lowering
