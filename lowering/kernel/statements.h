#pragma once

#include <optional>
#include <string>

#include "ir/kernel.h"
#include "ir/value.h"

namespace lowering {

using ir::Value;

/// The condition of a statement, which may be that it always runs.
class Guard {
 public:
  Guard(Value condition) : condition_(condition) {}
  static Guard always() { return {}; }

  bool isAlways() const { return !condition_; }
  /// The Bool; not of `always`.
  const ir::Expr* expr() const { return condition_->expr(); }
  /// Whether both hold.
  Guard operator&(const Guard& other) const;

 private:
  Guard() = default;

  std::optional<Value> condition_;
};

/// `for axis: body`; the body alone where the axis is a constant.
ir::Block loop(ir::LoopKind kind, Value axis, ir::Block body);
/// `body` for every cluster of the grid; once where the axis is a constant.
ir::Block gridLoop(Value cluster, ir::Block body);
/// `body` for every task of a CPU; once where the number is a constant.
ir::Block taskLoop(Value task, ir::Block body);
/// `if guard: body`; the body alone where it always runs.
ir::Block when(const Guard& guard, ir::Block body);
/// `index < extent`, where index takes values below `covered` at most.
Guard within(Value index, int64_t covered, int64_t extent);
/// A name that no parameter or local of a kernel has: the stem, or the stem, the separator and a number.
std::string freeName(const ir::Kernel& kernel, const std::string& stem, const std::string& separator = "");
/// Adds the statements of one block to another.
void append(ir::Block& to, ir::Block statements);

}  // namespace lowering
