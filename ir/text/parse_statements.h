#pragma once

#include <string>
#include <vector>

#include "ir/kernel.h"
#include "ir/text/parse_expr.h"

namespace ir {

/// Reads the statements of loops and kernels, with the axes and lets that they make known.
class StatementParser {
 public:
  StatementParser(TokenReader& tokens, ExprPool& pool, std::vector<const Buffer*> buffers)
      : tokens_(tokens), scope_{pool, std::move(buffers), {}, {}} {}

  /// Statements indented by more than `outer`.
  Block block(int outer);
  /// Lines of lets and stores, indented by more than `outer`.
  std::vector<Store> stores(int outer);
  /// `i0 in 2`.
  const Expr* axis();

 private:
  void enter();
  void endBlock(int indent, int outer);
  bool let();
  Statement statement(int indent);
  LoopKind kind();
  For loop(int indent);
  If branch(int indent);
  Block otherwise(int indent);
  Combine combine(Combine::Part part);
  Barrier barrier();
  CommitCopies commit();
  AwaitCopies await();
  Lanes lanes(int indent);
  Store store();

  TokenReader& tokens_;
  ParseScope scope_;
  int depth_ = 0;
};

/// What is missing where a line is indented otherwise.
std::string lineIndented(int spaces);

}  // namespace ir
