#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/loops.h"
#include "ir/text/parse_tokens.h"

namespace ir {

/// The names an expression may use; the statements around it add to them.
struct ParseScope {
  ExprPool& pool;
  std::vector<const Buffer*> buffers;
  std::unordered_map<std::string, const Expr*> axes;
  std::unordered_map<std::string, const Expr*> lets;
  int64_t lanes = 0;  ///< the width that contiguous accesses must have; 0 where there are none
};

/// Reads one expression; an Input error says where it is none.
const Expr* parseExpr(TokenReader& tokens, const ParseScope& scope);

/// Reads the ` x8` of a contiguous access, if it comes next.
bool parseContiguous(TokenReader& tokens, const ParseScope& scope);

/// An operation that isReduction, by its name.
Op parseReduction(TokenReader& tokens);

/// The index of the buffer that is named next.
int parseBufferName(TokenReader& tokens, const ParseScope& scope);

/// Reads lines such as `in  self  f16[2, 3]` while they come next, up to the end of the type.
bool atBuffer(const TokenReader& tokens);
Buffer parseBuffer(TokenReader& tokens);

}  // namespace ir
