#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/error.h"
#include "ir/target.h"
#include "ir/text/parse_statements.h"
#include "ir/text/text.h"

namespace ir {
namespace {

/// Buffer lines, each ended by what `suffix` reads.
template <typename Suffix>
void parseBuffers(TokenReader& tokens, Suffix&& suffix) {
  while (tokens.indent() == 2 && atBuffer(tokens)) {
    suffix(parseBuffer(tokens));
    tokens.expectLineEnd();
  }
}

std::vector<const Expr*> parseAxes(TokenReader& tokens, StatementParser& statements) {
  std::vector<const Expr*> axes;
  do axes.push_back(statements.axis());
  while (tokens.accept(","));
  return axes;
}

/// `for i0 in 2, i1 in 3 reduce i2 in 4`: the loops' axes; the others are known from here on.
std::vector<const Expr*> parseHeader(TokenReader& tokens, StatementParser& statements) {
  std::vector<const Expr*> axes;
  if (!tokens.accept("once")) {
    tokens.expect("for");
    axes = parseAxes(tokens, statements);
  }
  if (tokens.accept("reduce")) parseAxes(tokens, statements);
  tokens.expectLineEnd();
  return axes;
}

Launch parseLaunch(TokenReader& tokens, Backend backend) {
  Launch launch;
  tokens.expect("launch");
  if (backend == Backend::Cuda) {
    launch.grid = tokens.integer("a number of blocks", 0);
    launch.isPersistent = tokens.accept("persistent");
    if (tokens.accept("clusters")) {
      tokens.expect("of");
      launch.cluster = tokens.integer("a number of blocks", 1, 1024);
    }
    tokens.expect("blocks");
    tokens.expect("of");
    launch.block = tokens.integer("a number of threads", 0, Target::ctaThreads);
    tokens.expect("threads");
    if (tokens.accept(",")) {
      launch.resident = tokens.integer("a number of blocks", 1, 1024);
      tokens.expect("resident");
    }
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
  return {std::move(buffer), tokens.integer("an alignment", 1, 4096)};
}

/// Lines such as `private held f16[16] lanes 8`.
std::vector<Local> parseLocals(TokenReader& tokens) {
  const std::array spaces{std::pair{"private", Space::Private}, std::pair{"shared", Space::Shared},
                          std::pair{"global", Space::Global}, std::pair{"sums", Space::Sums}};
  std::vector<Local> locals;
  const auto* space = spaces.begin();
  const auto isSpace = [&](const auto& one) { return tokens.at(one.first); };
  while (tokens.indent() == 2 && (space = std::find_if(spaces.begin(), spaces.end(), isSpace)) != spaces.end()) {
    tokens.take();
    Local local{{tokens.word("a name"), tokens.tensorType(), -1, true, true}, space->second};
    if (tokens.accept("lanes")) local.lanes = tokens.integer("a number of lanes", 1, 4096);
    tokens.expectLineEnd();
    locals.push_back(std::move(local));
  }
  return locals;
}

void expectTextEnd(const TokenReader& tokens, std::string_view otherwise) {
  if (!tokens.atEnd()) tokens.refuse(otherwise);
}

/// The line `list i0 in 65537 of 768, 30` of a kernel whose parameters are known.
TensorList parseList(TokenReader& tokens, StatementParser& statements, const std::vector<Param>& params) {
  TensorList list;
  list.count = statements.axis();
  const int64_t most = list.count->axis().extent - 1;
  tokens.expect("of");
  do {
    const int64_t elements = list.elements.emplace_back(tokens.integer("a number of elements", 1));
    for (Param param : params) {
      if (param.buffer.type.numel() == most) param.buffer.type = TensorType::contiguous(param.buffer.type.dtype, {elements});
      list.params.push_back(std::move(param));
    }
  } while (tokens.accept(","));
  tokens.expectLineEnd();
  return list;
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
  loops.axes = parseHeader(tokens, statements);
  for (const Store& store : statements.stores(2))
    loops.stores.push_back({store.param, store.offset, store.value, store.accumulate});
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
  if (acceptLine(tokens, {"exact", "math"})) kernel.math = Math::Exact;
  if (acceptLine(tokens, {"relaxed", "math"})) kernel.math = Math::Relaxed;
  kernel.explicitBarriers = acceptLine(tokens, {"explicit", "barriers"});
  kernel.streamStores = acceptLine(tokens, {"stream", "stores"});
  parseBuffers(tokens, [&](Buffer buffer) { kernel.params.push_back(parseParam(tokens, std::move(buffer))); });
  kernel.locals = parseLocals(tokens);
  std::vector<const Buffer*> buffers;
  for (const Param& param : kernel.params) buffers.push_back(&param.buffer);
  for (const Local& local : kernel.locals) buffers.push_back(&local.buffer);
  StatementParser statements(tokens, *kernel.pool, buffers);
  if (tokens.accept("list")) kernel.list = parseList(tokens, statements, kernel.params);
  kernel.body = statements.block(0);
  expectTextEnd(tokens, "a line indented by 2 spaces");
  return kernel;
}

}  // namespace ir
