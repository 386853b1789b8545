#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "codegen/llvm/math/math.h"
#include "codegen/llvm/memory.h"
#include "ir/expr.h"
#include "ir/index/range.h"

namespace codegen {

/// What expressions of a kernel are evaluated in: where values are appended, and the axes bound so far.
struct Scope {
  llvm::IRBuilderBase& builder;
  const ir::Kernel& kernel;
  const Cpu& cpu;
  const LlvmMemory& memory;
  LlvmMath math;
  std::unordered_map<const ir::Expr*, llvm::Value*> axes;
};

/// Prints expressions at one place of the kernel, each node once. What does not depend on the lane stays scalar.
class LlvmExpr {
 public:
  /// Scalar code.
  explicit LlvmExpr(const Scope& scope) : scope_(scope) {}
  /// The lanes of a vector along `axis`.
  LlvmExpr(const Scope& scope, const ir::Expr* axis, const LaneSet& lanes);

  Vec operator()(const ir::Expr* expr);

 private:
  struct Result {
    Vec value;             ///< an I64 may be held in 32 bits
    bool isIndex = false;  ///< made of axes and constants that are not negative, and so not negative
  };

  Vec print(const ir::Expr* expr);
  Vec cast(const ir::Expr* expr);
  Vec axis(const ir::Expr* expr) const;
  Vec load(const ir::Expr* expr);
  Vec perLane(const ir::Expr* expr);
  Vec offsets(const ir::Expr* index);
  Vec masked(const ir::Expr* expr);
  bool startsLater() const;
  Vec atFirstLane(const ir::Expr* expr);
  Vec fromFirstLane(Vec lane) const;
  Vec apart(int64_t step) const;
  std::optional<Vec> equalsCount(const ir::Expr* expr);
  Vec random(const ir::Expr* expr);
  Vec operation(const ir::Expr* expr);
  Vec onFloats(const ir::Expr* expr, ir::DType dtype);
  Vec onIntegers(const ir::Expr* expr, ir::DType dtype);
  Vec ofWidth(const ir::Expr* node, int bits) const;
  Vec operand(const ir::Expr* expr, size_t index, int bits = 64) const { return ofWidth(expr->src[index], bits); }
  bool fits32(const ir::Expr* node);
  int widthOf(const ir::Expr* expr);
  bool isIndex(const ir::Expr* expr) const;

  const Scope& scope_;
  const ir::Expr* laneAxis_ = nullptr;
  LaneSet lanes_;
  Vec lane_;
  std::unordered_map<const ir::Expr*, Result> done_;
  ir::Bounds bounds_;
  std::unique_ptr<LlvmExpr> atFirstLane_;
  std::map<std::array<const ir::Expr*, 3>, Vec> random_;  ///< words that lie one after another, by seed, draw and first index
};

}  // namespace codegen
