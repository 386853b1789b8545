#include "ir/text/parse_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/error.h"
#include "ir/target.h"

namespace ir {
namespace {

constexpr int deepestBlock = 64;

}  // namespace

std::string lineIndented(int spaces) { return fmt::format("a line indented by {} spaces", spaces); }

Block StatementParser::block(int outer) {
  enter();
  Block statements;
  const int indent = tokens_.indent();
  while (indent > outer && tokens_.indent() == indent)
    if (!let()) statements.push_back(statement(indent));
  endBlock(indent, outer);
  --depth_;
  return statements;
}

std::vector<Store> StatementParser::stores(int outer) {
  std::vector<Store> result;
  const int indent = tokens_.indent();
  while (indent > outer && tokens_.indent() == indent)
    if (!let()) result.push_back(store());
  endBlock(indent, outer);
  return result;
}

const Expr* StatementParser::axis() {
  const Token where = tokens_.peek();
  const std::string name = tokens_.word("an axis");
  tokens_.expect("in");
  const int64_t extent = tokens_.integer("an extent", 0);
  const auto [known, isNew] = scope_.axes.try_emplace(name, nullptr);
  if (isNew) known->second = scope_.pool.axis(extent);
  if (known->second->axis().extent != extent)
    TokenReader::refuseAt(where, fmt::format("the extent {} that {} has above", known->second->axis().extent, name),
                          fmt::format("{}", extent));
  return known->second;
}

void StatementParser::enter() {
  if (++depth_ > deepestBlock) tokens_.refuse(fmt::format("at most {} statements in one another", deepestBlock));
}

void StatementParser::endBlock(int indent, int outer) {
  if (indent > outer && tokens_.indent() > outer) tokens_.refuse(lineIndented(indent));
}

bool StatementParser::let() {
  if (!tokens_.at("let") || !tokens_.atWord(1)) return false;
  tokens_.take();
  const std::string name = tokens_.word("a name");
  tokens_.expect("=");
  const Expr* value = parseExpr(tokens_, scope_);
  tokens_.expectLineEnd();
  scope_.lets[name] = value;
  return true;
}

Statement StatementParser::statement(int indent) {
  if (tokens_.accept("for")) return {loop(indent)};
  if (tokens_.accept("if")) return {branch(indent)};
  if (tokens_.accept("lanes")) return {lanes(indent)};
  if (tokens_.accept("combine")) return {combine(Combine::Part::Whole)};
  if (tokens_.accept("give")) return {combine(Combine::Part::Give)};
  if (tokens_.accept("take")) return {combine(Combine::Part::Take)};
  if (tokens_.accept("barrier")) return {barrier()};
  if (tokens_.accept("commit")) return {commit()};
  if (tokens_.accept("await")) return {await()};
  tokens_.refuse("for, if, let, lanes, combine, give, take, barrier, commit or await");
}

LoopKind StatementParser::kind() {
  if (tokens_.accept("grid")) return LoopKind::Grid;
  if (tokens_.accept("cluster")) return LoopKind::Cluster;
  if (tokens_.accept("thread")) return LoopKind::Thread;
  if (tokens_.accept("task")) return LoopKind::Task;
  if (tokens_.accept("serial")) return LoopKind::Serial;
  if (tokens_.accept("unrolled")) return LoopKind::Unrolled;
  tokens_.refuse("grid, cluster, thread, task, serial or unrolled");
}

For StatementParser::loop(int indent) {
  For result;
  result.axis = axis();
  result.kind = kind();
  tokens_.expectLineEnd();
  result.body = block(indent);
  return result;
}

If StatementParser::branch(int indent) {
  If result;
  result.condition = parseExpr(tokens_, scope_);
  tokens_.expectLineEnd();
  result.then = block(indent);
  if (tokens_.indent() == indent && tokens_.accept("else")) result.otherwise = otherwise(indent);
  return result;
}

/// After `else`: the end of the line and a block, or another branch.
Block StatementParser::otherwise(int indent) {
  if (!tokens_.accept("if")) {
    tokens_.expectLineEnd();
    return block(indent);
  }
  enter();
  Block next;
  next.push_back({branch(indent)});
  --depth_;
  return next;
}

/// After `combine`: `32 threads stride 4 of 2 blocks: max top, add total before start`; after `give` or `take` each item ends
/// with `to partials` or `from partials`.
Combine StatementParser::combine(Combine::Part part) {
  Combine result;
  result.part = part;
  result.threads = tokens_.integer("a number of threads", 1, Target::ctaThreads);
  tokens_.expect("threads");
  if (tokens_.accept("stride")) result.stride = tokens_.integer("a stride", 1, 1024);
  if (tokens_.accept("of")) {
    result.ctas = tokens_.integer("a number of blocks", 1, 1024);
    tokens_.expect("blocks");
  }
  if (!tokens_.at(":")) tokens_.refuse("':'");
  while (tokens_.accept(result.items.empty() ? ":" : ",")) {
    const Op op = parseReduction(tokens_);
    result.items.push_back({parseBufferName(tokens_, scope_), op});
    if (tokens_.accept("before")) result.items.back().before = parseBufferName(tokens_, scope_);
    if (part == Combine::Part::Whole) continue;
    tokens_.expect(part == Combine::Part::Give ? "to" : "from");
    result.items.back().partials = parseBufferName(tokens_, scope_);
  }
  tokens_.expectLineEnd();
  return result;
}

Barrier StatementParser::barrier() {
  Barrier result;
  const std::array scopes{std::pair{"block", Barrier::Scope::Cta}, std::pair{"cluster", Barrier::Scope::Cluster},
                          std::pair{"start", Barrier::Scope::Start}, std::pair{"grid", Barrier::Scope::Grid},
                          std::pair{"last", Barrier::Scope::LastCta}};
  const auto* scope = std::find_if(scopes.begin(), scopes.end(), [&](const auto& one) { return tokens_.accept(one.first); });
  if (scope == scopes.end()) tokens_.refuse("block, cluster, start, grid or last");
  result.scope = scope->second;
  tokens_.expectLineEnd();
  return result;
}

CommitCopies StatementParser::commit() {
  tokens_.expect("copies");
  tokens_.expectLineEnd();
  return {};
}

/// After `await`: `copies`, or `copies but 3 - i0 of 3`.
AwaitCopies StatementParser::await() {
  AwaitCopies result;
  tokens_.expect("copies");
  if (tokens_.accept("but")) {
    result.later = parseExpr(tokens_, scope_);
    tokens_.expect("of");
    result.most = tokens_.integer("a number of groups", 0, 63);
  }
  tokens_.expectLineEnd();
  return result;
}

Lanes StatementParser::lanes(int indent) {
  Lanes result;
  result.axis = axis();
  if (tokens_.accept("from")) result.first = parseExpr(tokens_, scope_);
  if (tokens_.accept("active")) result.active = parseExpr(tokens_, scope_);
  result.isAsync = tokens_.accept("async");
  tokens_.expectLineEnd();
  scope_.lanes = result.axis->axis().extent;
  result.stores = stores(indent);
  scope_.lanes = 0;
  return result;
}

Store StatementParser::store() {
  Store result;
  if (!tokens_.at("[", 1)) tokens_.refuse("let or a store");
  result.param = parseBufferName(tokens_, scope_);
  tokens_.expect("[");
  result.offset = parseExpr(tokens_, scope_);
  tokens_.expect("]");
  result.contiguous = parseContiguous(tokens_, scope_);
  result.isAtomic = scope_.lanes > 0 && tokens_.accept("atomic");
  if (result.isAtomic || tokens_.atWord()) result.accumulate = parseReduction(tokens_);
  tokens_.expect("=");
  result.value = parseExpr(tokens_, scope_);
  tokens_.expectLineEnd();
  return result;
}

}  // namespace ir
