#include "ir/text/print_expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ir/text/text.h"
#include "ir/walk.h"

namespace ir {
namespace {

constexpr int64_t longLine = 32;       // nodes printed in one line
constexpr int64_t repeatedIndex = 12;  // nodes of an index that is printed again rather than named
constexpr int unaryLevel = 8;
constexpr int primaryLevel = 9;

constexpr std::array infixes{
    Infix{Op::Eq, "==", 1}, Infix{Op::Ne, "!=", 1}, Infix{Op::Lt, "<", 1},   Infix{Op::Le, "<=", 1},  Infix{Op::Or, "|", 2},
    Infix{Op::Xor, "^", 3}, Infix{Op::And, "&", 4}, Infix{Op::Shl, "<<", 5}, Infix{Op::Shr, ">>", 5}, Infix{Op::Add, "+", 6},
    Infix{Op::Sub, "-", 6}, Infix{Op::Mul, "*", 7}, Infix{Op::Div, "/", 7},  Infix{Op::Mod, "%", 7},
};

bool isLeaf(const Expr* node) { return node->op == Op::Const || node->op == Op::Axis; }

std::string constantText(const Expr* node) {
  if (isFloating(node->dtype))
    return fmt::format("{}({})", name(node->dtype), floatingText(node->dtype, std::get<double>(node->payload)));
  const int64_t value = node->integer();
  if (node->dtype == DType::Bool) return value != 0 ? "true" : "false";
  if (node->dtype == DType::I64) return fmt::format("{}", value);
  if (node->dtype == DType::U64) return fmt::format("u64({})", static_cast<uint64_t>(value));
  return fmt::format("{}({})", name(node->dtype), value);
}

/// The nodes that are made of axes and constants alone.
std::unordered_map<const Expr*, bool> findIndices(const std::vector<const Expr*>& order) {
  std::unordered_map<const Expr*, bool> isIndex;
  for (const Expr* node : order) {
    const bool ofIndices = std::all_of(node->src.begin(), node->src.end(), [&](const Expr* x) { return isIndex.at(x); });
    isIndex[node] = node->dtype == DType::I64 && node->op != Op::Load && !node->isCombining() && ofIndices;
  }
  return isIndex;
}

std::unordered_map<const Expr*, int> countUses(const std::vector<const Expr*>& order, const std::vector<const Expr*>& roots) {
  std::unordered_map<const Expr*, int> uses;
  for (const Expr* node : order)
    for (const Expr* operand : node->src) ++uses[operand];
  for (const Expr* root : roots) ++uses[root];
  return uses;
}

}  // namespace

const Infix* infixOf(Op op) {
  for (const Infix& infix : infixes)
    if (infix.op == op) return &infix;
  return nullptr;
}

const Infix* infixOf(std::string_view symbol) {
  for (const Infix& infix : infixes)
    if (infix.symbol == symbol) return &infix;
  return nullptr;
}

std::string floatingText(DType dtype, double value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  return dtype == DType::F64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
}

ExprTexts::ExprTexts(const std::vector<const Expr*>& roots, const TextNames& names) {
  const std::vector<const Expr*> order = postorder(roots);
  const auto isIndex = findIndices(order);
  const auto uses = countUses(order, roots);
  std::unordered_map<const Expr*, int> asRoot;
  for (const Expr* root : roots) ++asRoot[root];
  for (const Expr* node : order) {
    Text text = print(node, names);
    const bool isShared = uses.at(node) > 1 && !isLeaf(node) && !(isIndex.at(node) && text.size <= repeatedIndex);
    const bool isLong = text.size > longLine && uses.at(node) > asRoot[node];
    if (isShared || isLong)
      name(node, std::move(text));
    else
      texts_[node] = std::move(text);
  }
}

void ExprTexts::name(const Expr* node, Text text) {
  std::string t = fmt::format("t{}", lets_.size());
  lets_.push_back(fmt::format("{} = {}", t, text.text));
  texts_[node] = {std::move(t), primaryLevel, 1};
}

ExprTexts::Text ExprTexts::leaf(const Expr* node, const TextNames& names) const {
  if (node->op == Op::Const) return {constantText(node), primaryLevel, 1};
  if (node->op == Op::Axis) return {names.axis(node->axis()), primaryLevel, 1};
  const auto part = [&](size_t i) { return texts_.at(node->src[i]).text; };
  const std::string place = node->isMasked() ? fmt::format("{} if {} else {}", part(0), part(1), part(2)) : part(0);
  std::string text = fmt::format("{}[{}]", names.buffer(node->load().buffer), place);
  if (node->load().mode == LoadMode::Contiguous) text += names.lanes > 0 ? fmt::format(" x{}", names.lanes) : " x?";
  int64_t size = 1;
  for (const Expr* operand : node->src) size += texts_.at(operand).size;
  return {std::move(text), primaryLevel, size};
}

ExprTexts::Text ExprTexts::print(const Expr* node, const TextNames& names) const {
  if (isLeaf(node) || node->op == Op::Load) return leaf(node, names);
  Text text = operation(node);
  for (const Expr* operand : node->src) text.size += texts_.at(operand).size;
  return text;
}

ExprTexts::Text ExprTexts::operation(const Expr* node) const {
  if (const Infix* found = infixOf(node->op)) return infix(node, found->symbol, found->level);
  if (node->op == Op::Neg) return {"-" + operand(node->src[0], unaryLevel), unaryLevel};
  if (node->op == Op::Reduce)
    return {fmt::format("{}[{}]({})", ir::name(node->reduction()), list(node, 1), texts_.at(node->src[0]).text), primaryLevel};
  if (node->op == Op::Scan)
    return {fmt::format("{}[to {}]({})", ir::name(node->reduction()), list(node, 1), texts_.at(node->src[0]).text), primaryLevel};
  const std::string_view function = node->op == Op::Cast ? ir::name(node->dtype) : ir::name(node->op);
  return {fmt::format("{}({})", function, list(node, 0)), primaryLevel};
}

/// The operands from the `first`th on, between commas.
std::string ExprTexts::list(const Expr* node, size_t first) const {
  std::string text;
  for (size_t i = first; i < node->src.size(); ++i) text += (i > first ? ", " : "") + texts_.at(node->src[i]).text;
  return text;
}

ExprTexts::Text ExprTexts::infix(const Expr* node, std::string_view symbol, int level) const {
  const bool isTight = level == tightestInfix && node->dtype == DType::I64;
  const int leftLevel = level == comparisonLevel ? level + 1 : level;
  const std::string left = operand(node->src[0], leftLevel);
  const std::string right = operand(node->src[1], level + 1);
  return {isTight ? fmt::format("{}{}{}", left, symbol, right) : fmt::format("{} {} {}", left, symbol, right), level};
}

std::string ExprTexts::operand(const Expr* node, int level) const {
  const Text& text = texts_.at(node);
  return text.level < level ? fmt::format("({})", text.text) : text.text;
}

std::string_view kindText(const Buffer& buffer) {
  if (buffer.isPart) return "part";
  if (buffer.isWritten) return buffer.isRead ? "inout" : "out";
  return buffer.isRead ? "in" : "unused";
}

std::string toText(const std::vector<BufferLine>& lines) {
  size_t kindWidth = 0;
  size_t nameWidth = 0;
  size_t typeWidth = 0;
  for (const BufferLine& line : lines) {
    kindWidth = std::max(kindWidth, line.kind.size());
    nameWidth = std::max(nameWidth, line.buffer.name.size());
    typeWidth = std::max(typeWidth, toText(line.buffer.type).size());
  }
  std::string text;
  for (const BufferLine& line : lines) {
    const std::string type = toText(line.buffer.type);
    text += fmt::format("  {:<{}} {:<{}} ", line.kind, kindWidth, line.buffer.name, nameWidth);
    text += line.suffix.empty() ? type + "\n" : fmt::format("{:<{}} {}\n", type, typeWidth, line.suffix);
  }
  return text;
}

std::string toText(const Expr* expr) {
  const TextNames names{[](const AxisInfo& axis) { return fmt::format("i{}", axis.id); },
                        [](int buffer) { return fmt::format("b{}", buffer); }, 0};
  const ExprTexts texts({expr}, names);
  std::string text;
  for (const std::string& let : texts.lets()) text += fmt::format("let {}; ", let);
  return text + texts.of(expr);
}

}  // namespace ir
