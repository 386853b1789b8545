#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/expr.h"
#include "ir/loops.h"

namespace ir {

/// How axes and buffers are called where an expression stands.
struct TextNames {
  std::function<std::string(const AxisInfo&)> axis;
  std::function<std::string(int)> buffer;
  int64_t lanes = 0;  ///< the width of contiguous accesses; 0 where there is none
};

/// The texts of some expressions that stand together. A node used more than once, or that would make a long line, becomes a
/// `let`; an index of axes and constants is repeated while it is short. Size and stack stay linear in the nodes.
class ExprTexts {
 public:
  ExprTexts(const std::vector<const Expr*>& roots, const TextNames& names);
  /// `t0 = exp(x)` and so on, in order.
  const std::vector<std::string>& lets() const { return lets_; }
  /// The text of a root.
  const std::string& of(const Expr* root) const { return texts_.at(root).text; }

 private:
  struct Text {
    std::string text;
    int level = 0;  ///< how tightly it binds: operands of a lower level are put in parentheses
    int64_t size = 1;
  };
  Text leaf(const Expr* node, const TextNames& names) const;
  Text print(const Expr* node, const TextNames& names) const;
  Text operation(const Expr* node) const;
  Text infix(const Expr* node, std::string_view symbol, int level) const;
  std::string operand(const Expr* node, int level) const;
  std::string list(const Expr* node, size_t first) const;
  void name(const Expr* node, Text text);

  std::unordered_map<const Expr*, Text> texts_;
  std::vector<std::string> lets_;
};

/// Binary operators in text: how an operation is written between its operands and how tightly it binds (1 to 7).
struct Infix {
  Op op;
  std::string_view symbol;
  int level;
};
/// The operator of `op`, or nullptr where it is written as a function.
const Infix* infixOf(Op op);
/// The operator written `symbol`, or nullptr.
const Infix* infixOf(std::string_view symbol);
inline constexpr int comparisonLevel = 1;
inline constexpr int tightestInfix = 7;

/// `1.5`, `inf`, `-nan`: the shortest digits that read back as the same value of `dtype`.
std::string floatingText(DType dtype, double value);

/// The line of a buffer: `in  self  f16[2, 3] align 16`.
struct BufferLine {
  std::string_view kind;
  const Buffer& buffer;
  std::string suffix = {};
};
/// `in`, `out`, `inout` or `unused`.
std::string_view kindText(const Buffer& buffer);
/// The lines, in columns.
std::string toText(const std::vector<BufferLine>& lines);

}  // namespace ir
