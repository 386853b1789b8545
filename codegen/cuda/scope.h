#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/cuda/expr.h"

namespace codegen {

/// Bytes of each access to `lanes` contiguous elements of a parameter, or of a local in memory.
int accessBytes(const ir::Kernel& kernel, int buffer, int64_t lanes);

/// How loads are printed where a value is computed.
enum class LaneForm {
  Scalar,   ///< one element
  Vector,   ///< contiguous loads are registers indexed by the lane
  Guarded,  ///< contiguous loads are elements at `offset + lane`
};

/// A block of the kernel under construction: its lines, the names in it and what they stand for. Inner blocks are copies,
/// so that names end with their block.
class CudaScope {
 public:
  CudaScope(const CudaExpressions& expressions, const ir::Kernel& kernel) : expressions_(expressions), kernel_(&kernel) {}

  /// An indented line.
  void line(std::string_view text);
  /// A copy to write an inner block in; `leave` adds its lines.
  CudaScope enter() const;
  void leave(const CudaScope& inner) { text_ += inner.text_; }
  /// Adds what a copy of this scope wrote without a block of its own: lines and names stay, what the names stood for is
  /// forgotten, as memory may have been written since.
  void absorb(const CudaScope& statement);

  /// `stem`, or `stem` and a number, whichever no name in sight has.
  std::string unique(const std::string& stem);
  /// `t0`, `t1`, ... : the first one that is free.
  std::string numbered(const std::string& stem);

  /// Declares what is used more than once below the roots (loads always), operands first.
  void declare(const std::vector<Key>& roots, LaneForm form, const ir::Expr* lane);
  /// Declares the keys themselves; their loads have names.
  void hoist(const std::vector<Key>& keys);

  /// From now on elements of these register arrays are read as copies: they are about to be written.
  void copyRegisters(std::set<int> buffers) { copied_ = std::move(buffers); }
  /// Whether a load is of a register array that can be read in place.
  bool isInPlace(const ir::Expr* load) const;

  CudaExpressions& expressions() { return expressions_; }
  const CudaExpressions& expressions() const { return expressions_; }
  const std::string& text() const { return text_; }

 private:
  struct Walk;
  void declareLoad(const ir::Expr* load, LaneForm form, const ir::Expr* lane);
  void declareVector(const std::string& name, const ir::Expr* load, int64_t lanes);
  void declareLocal(const Key& key);

  CudaExpressions expressions_;
  const ir::Kernel* kernel_;
  std::set<std::string> names_;
  std::set<int> copied_;
  std::string text_;
  int depth_ = 1;
};

}  // namespace codegen
