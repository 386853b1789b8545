#include <fmt/format.h>

#include <deque>

#include "ir/error.h"
#include "ir/parse_expr.h"
#include "ir/text.h"

namespace ir {
namespace {

constexpr int deepestBlock = 64;

std::string lineIndented(int spaces) { return fmt::format("a line indented by {} spaces", spaces); }

/// Buffer lines, each ended by what `suffix` reads.
template <typename Suffix>
void parseBuffers(TokenReader& tokens, Suffix&& suffix) {
  while (tokens.indent() == 2 && atBuffer(tokens)) {
    suffix(parseBuffer(tokens));
    tokens.expectLineEnd();
  }
}

/// Reads the statements of loops and kernels.
class StatementParser {
 public:
  StatementParser(TokenReader& tokens, ExprPool& pool, std::vector<const Buffer*> buffers)
      : tokens_(tokens), scope_{pool, std::move(buffers), {}, {}} {}

  Block block(int outer) {
    enter();
    Block statements;
    const int indent = tokens_.indent();
    while (indent > outer && tokens_.indent() == indent)
      if (!let()) statements.push_back(statement(indent));
    endBlock(indent, outer);
    --depth_;
    return statements;
  }

  /// Lines of lets and stores, indented by more than `outer`.
  std::vector<Store> stores(int outer) {
    std::vector<Store> result;
    const int indent = tokens_.indent();
    while (indent > outer && tokens_.indent() == indent)
      if (!let()) result.push_back(store());
    endBlock(indent, outer);
    return result;
  }

  /// `i0 in 2`.
  const Expr* axis() {
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

 private:
  void enter() {
    if (++depth_ > deepestBlock) tokens_.refuse(fmt::format("at most {} statements in one another", deepestBlock));
  }

  void endBlock(int indent, int outer) {
    if (indent > outer && tokens_.indent() > outer) tokens_.refuse(lineIndented(indent));
  }

  bool let() {
    if (!tokens_.at("let") || !tokens_.atWord(1)) return false;
    tokens_.take();
    const std::string name = tokens_.word("a name");
    tokens_.expect("=");
    const Expr* value = parseExpr(tokens_, scope_);
    tokens_.expectLineEnd();
    scope_.lets[name] = value;
    return true;
  }

  Statement statement(int indent) {
    if (tokens_.accept("for")) return {loop(indent)};
    if (tokens_.accept("if")) return {branch(indent)};
    if (tokens_.accept("lanes")) return {lanes(indent)};
    tokens_.refuse("for, if, let or lanes");
  }

  LoopKind kind() {
    if (tokens_.accept("grid")) return LoopKind::Grid;
    if (tokens_.accept("thread")) return LoopKind::Thread;
    if (tokens_.accept("task")) return LoopKind::Task;
    if (tokens_.accept("serial")) return LoopKind::Serial;
    tokens_.refuse("grid, thread, task or serial");
  }

  For loop(int indent) {
    For result;
    result.axis = axis();
    result.kind = kind();
    tokens_.expectLineEnd();
    result.body = block(indent);
    return result;
  }

  If branch(int indent) {
    If result;
    result.condition = parseExpr(tokens_, scope_);
    tokens_.expectLineEnd();
    result.then = block(indent);
    if (tokens_.indent() == indent && tokens_.accept("else")) result.otherwise = otherwise(indent);
    return result;
  }

  /// After `else`: the end of the line and a block, or another branch.
  Block otherwise(int indent) {
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

  Lanes lanes(int indent) {
    Lanes result;
    result.axis = axis();
    if (tokens_.accept("active")) result.active = parseExpr(tokens_, scope_);
    tokens_.expectLineEnd();
    scope_.lanes = result.axis->axis().extent;
    result.stores = stores(indent);
    scope_.lanes = 0;
    return result;
  }

  Store store() {
    Store result;
    if (!tokens_.at("[", 1)) tokens_.refuse("let or a store");
    result.param = parseBufferName(tokens_, scope_);
    tokens_.expect("[");
    result.offset = parseExpr(tokens_, scope_);
    tokens_.expect("]");
    result.contiguous = parseContiguous(tokens_, scope_);
    tokens_.expect("=");
    result.value = parseExpr(tokens_, scope_);
    tokens_.expectLineEnd();
    return result;
  }

  TokenReader& tokens_;
  ParseScope scope_;
  int depth_ = 0;
};

std::vector<const Expr*> parseAxes(TokenReader& tokens, StatementParser& statements) {
  std::vector<const Expr*> axes;
  if (!tokens.accept("once")) {
    tokens.expect("for");
    do axes.push_back(statements.axis());
    while (tokens.accept(","));
  }
  tokens.expectLineEnd();
  return axes;
}

Launch parseLaunch(TokenReader& tokens, Backend backend) {
  Launch launch;
  tokens.expect("launch");
  if (backend == Backend::Cuda) {
    launch.grid = tokens.integer("a number of blocks", 0);
    tokens.expect("blocks");
    tokens.expect("of");
    const Token where = tokens.peek();
    const int64_t block = tokens.integer("a number of threads", 0);
    if (block > 1024) TokenReader::refuseAt(where, "at most 1024 threads");
    launch.block = static_cast<int>(block);
    tokens.expect("threads");
  } else {
    launch.tasks = tokens.integer("a number of tasks", 0);
    tokens.expect("tasks");
    tokens.expect(",");
    launch.grain = tokens.integer("a number of tasks", 0);
    tokens.expect("at");
    tokens.expect("a");
    tokens.expect("time");
  }
  tokens.expectLineEnd();
  return launch;
}

bool acceptLine(TokenReader& tokens, std::initializer_list<std::string_view> words) {
  if (!tokens.accept(*words.begin())) return false;
  for (const auto* word = words.begin() + 1; word != words.end(); ++word) tokens.expect(*word);
  tokens.expectLineEnd();
  return true;
}

Param parseParam(TokenReader& tokens, Buffer buffer) {
  tokens.expect("align");
  const Token where = tokens.peek();
  const int64_t alignment = tokens.integer("an alignment", 1);
  if (alignment > 4096) TokenReader::refuseAt(where, "an alignment of at most 4096 bytes");
  return {std::move(buffer), static_cast<int>(alignment)};
}

void expectTextEnd(const TokenReader& tokens, std::string_view otherwise) {
  if (!tokens.atEnd()) tokens.refuse(otherwise);
}

}  // namespace

Loops parseLoops(std::string_view text) {
  TokenReader tokens(text);
  Loops loops;
  loops.pool = std::make_shared<ExprPool>();
  tokens.expect("loops");
  loops.name = tokens.word("a name");
  tokens.expectLineEnd();
  parseBuffers(tokens, [&](Buffer buffer) { loops.buffers.push_back(std::move(buffer)); });
  if (tokens.indent() != 2) tokens.refuse(lineIndented(2));
  std::vector<const Buffer*> buffers;
  for (const Buffer& buffer : loops.buffers) buffers.push_back(&buffer);
  StatementParser statements(tokens, *loops.pool, buffers);
  loops.axes = parseAxes(tokens, statements);
  for (const Store& store : statements.stores(2)) loops.stores.push_back({store.param, store.offset, store.value});
  expectTextEnd(tokens, "the end of the text");
  return loops;
}

Kernel parseKernel(std::string_view text) {
  TokenReader tokens(text);
  Kernel kernel;
  kernel.pool = std::make_shared<ExprPool>();
  tokens.expect("kernel");
  kernel.name = tokens.word("a name");
  tokens.expect("on");
  if (!tokens.at("cuda") && !tokens.at("cpu")) tokens.refuse("cuda or cpu");
  kernel.backend = tokens.take().text == "cuda" ? Backend::Cuda : Backend::Cpu;
  tokens.expectLineEnd();
  kernel.launch = parseLaunch(tokens, kernel.backend);
  kernel.index32 = acceptLine(tokens, {"index32"});
  kernel.relaxedMath = acceptLine(tokens, {"relaxed", "math"});
  kernel.streamStores = acceptLine(tokens, {"stream", "stores"});
  parseBuffers(tokens, [&](Buffer buffer) { kernel.params.push_back(parseParam(tokens, std::move(buffer))); });
  std::vector<const Buffer*> buffers;
  for (const Param& param : kernel.params) buffers.push_back(&param.buffer);
  StatementParser statements(tokens, *kernel.pool, buffers);
  kernel.body = statements.block(0);
  expectTextEnd(tokens, "a line indented by 2 spaces");
  return kernel;
}

}  // namespace ir
