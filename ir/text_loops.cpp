#include <fmt/format.h>

#include <unordered_map>

#include "ir/text.h"
#include "ir/text_expr.h"

namespace ir {
namespace {

/// Axes in the order in which they are bound; an axis that is bound nowhere prints as what it is.
class AxisNames {
 public:
  void bind(const Expr* axis, char letter) {
    if (names_.contains(axis->axis().id)) return;
    names_[axis->axis().id] = fmt::format("{}{}", letter, letter == 'l' ? lanes_++ : loops_++);
  }
  std::string of(const AxisInfo& axis) const {
    const auto found = names_.find(axis.id);
    return found == names_.end() ? fmt::format("unbound{}", axis.id) : found->second;
  }

 private:
  std::unordered_map<int, std::string> names_;
  int loops_ = 0;
  int lanes_ = 0;
};

std::string bufferName(const std::vector<const Buffer*>& buffers, int index) {
  const bool isKnown = index >= 0 && index < static_cast<int>(buffers.size());
  return isKnown ? buffers[index]->name : fmt::format("unknown{}", index);
}

std::string_view word(LoopKind kind) {
  switch (kind) {
    case LoopKind::Grid: return "grid";
    case LoopKind::Cluster: return "cluster";
    case LoopKind::Thread: return "thread";
    case LoopKind::Task: return "task";
    case LoopKind::Serial: return "serial";
    case LoopKind::Unrolled: return "unrolled";
  }
  return "serial";
}

/// Prints statements, one level of indentation after another.
class StatementPrinter {
 public:
  explicit StatementPrinter(std::vector<const Buffer*> buffers) : buffers_(std::move(buffers)) {}

  void bind(const Expr* axis, char letter) { axes_.bind(axis, letter); }
  std::string axis(const Expr* axis) const { return axes_.of(axis->axis()); }

  void line(int depth, std::string_view text) { text_ += fmt::format("{:{}}{}\n", "", depth * 2, text); }
  void block(const Block& block, int depth) {
    for (const Statement& statement : block) std::visit([&](const auto& node) { print(node, depth); }, statement.node);
  }
  void stores(const std::vector<Store>& stores, int64_t lanes, int depth) {
    std::vector<const Expr*> roots;
    for (const Store& store : stores) roots.insert(roots.end(), {store.offset, store.value});
    const ExprTexts texts(roots, names(lanes));
    lets(texts, depth);
    for (const Store& store : stores) {
      const std::string width = store.contiguous ? fmt::format(" x{}", lanes) : "";
      const std::string target = fmt::format("{}[{}]{}", bufferName(buffers_, store.param), texts.of(store.offset), width);
      line(depth, fmt::format("{} = {}", target, texts.of(store.value)));
    }
  }
  std::string take() { return std::move(text_); }

 private:
  TextNames names(int64_t lanes) const {
    return {[this](const AxisInfo& axis) { return axes_.of(axis); }, [this](int buffer) { return bufferName(buffers_, buffer); },
            lanes};
  }
  void lets(const ExprTexts& texts, int depth) {
    for (const std::string& let : texts.lets()) line(depth, "let " + let);
  }
  void print(const For& loop, int depth) {
    axes_.bind(loop.axis, 'i');
    line(depth, fmt::format("for {} in {} {}", axis(loop.axis), loop.axis->axis().extent, word(loop.kind)));
    block(loop.body, depth + 1);
  }
  void print(const If& branch, int depth) {
    const ExprTexts texts({branch.condition}, names(0));
    lets(texts, depth);
    line(depth, "if " + texts.of(branch.condition));
    branches(branch, depth);
  }
  /// What comes after the line of the condition. Where the other branch is a condition alone, it follows as `else if`.
  void branches(const If& branch, int depth) {
    block(branch.then, depth + 1);
    if (branch.otherwise.empty()) return;
    const If* next = branch.otherwise.size() == 1 ? std::get_if<If>(&branch.otherwise[0].node) : nullptr;
    const ExprTexts texts(next == nullptr ? std::vector<const Expr*>{} : std::vector{next->condition}, names(0));
    if (next == nullptr || !texts.lets().empty()) {
      line(depth, "else");
      return block(branch.otherwise, depth + 1);
    }
    line(depth, "else if " + texts.of(next->condition));
    branches(*next, depth);
  }
  void print(const Combine&, int) {}
  void print(const Lanes& lanes, int depth) {
    axes_.bind(lanes.axis, 'l');
    const int64_t width = lanes.axis->axis().extent;
    std::string header = fmt::format("lanes {} in {}", axis(lanes.axis), width);
    if (lanes.active != nullptr) {
      const ExprTexts texts({lanes.active}, names(0));
      lets(texts, depth);
      header += " active " + texts.of(lanes.active);
    }
    line(depth, header);
    stores(lanes.stores, width, depth + 1);
  }

  std::vector<const Buffer*> buffers_;
  AxisNames axes_;
  std::string text_;
};

std::string launchText(const Kernel& kernel) {
  const Launch& launch = kernel.launch;
  if (kernel.backend == Backend::Cuda) return fmt::format("  launch {} blocks of {} threads\n", launch.grid, launch.block);
  return fmt::format("  launch {} tasks, {} at a time\n", launch.tasks, launch.grain);
}

std::string flagsText(const Kernel& kernel) {
  std::string text;
  if (kernel.index32) text += "  index32\n";
  if (kernel.relaxedMath) text += "  relaxed math\n";
  if (kernel.streamStores) text += "  stream stores\n";
  return text;
}

}  // namespace

std::string toText(const Loops& loops) {
  std::vector<const Buffer*> buffers;
  for (const Buffer& buffer : loops.buffers) buffers.push_back(&buffer);
  std::string text = fmt::format("loops {}\n", loops.name) + bufferTexts(buffers, [](size_t) { return ""; });
  StatementPrinter printer(buffers);
  std::string header;
  for (const Expr* axis : loops.axes) {
    printer.bind(axis, 'i');
    header += fmt::format("{}{} in {}", header.empty() ? "for " : ", ", printer.axis(axis), axis->axis().extent);
  }
  printer.line(1, header.empty() ? "once" : header);
  std::vector<Store> stores;
  for (const StoreTo& store : loops.stores) stores.push_back({store.buffer, store.offset, store.value, false});
  printer.stores(stores, 0, 2);
  return text + printer.take();
}

std::string toText(const Kernel& kernel) {
  std::vector<const Buffer*> buffers;
  for (const Param& param : kernel.params) buffers.push_back(&param.buffer);
  const std::string_view backend = kernel.backend == Backend::Cuda ? "cuda" : "cpu";
  std::string text = fmt::format("kernel {} on {}\n", kernel.name, backend) + launchText(kernel) + flagsText(kernel);
  text += bufferTexts(buffers, [&](size_t i) { return fmt::format("align {}", kernel.params[i].alignment); });
  StatementPrinter printer(buffers);
  printer.block(kernel.body, 1);
  return text + printer.take();
}

}  // namespace ir
