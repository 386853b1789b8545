#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ir/text/print_expr.h"
#include "ir/text/text.h"
#include "ir/walk.h"

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

std::vector<const Buffer*> buffersOf(const Kernel& kernel) {
  std::vector<const Buffer*> buffers;
  for (const Param& param : kernel.params) buffers.push_back(&param.buffer);
  for (const Local& local : kernel.locals) buffers.push_back(&local.buffer);
  return buffers;
}

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

std::string_view word(Combine::Part part) {
  switch (part) {
    case Combine::Part::Whole: return "combine";
    case Combine::Part::Give: return "give";
    case Combine::Part::Take: return "take";
  }
  return "combine";
}

std::string_view word(Barrier::Scope scope) {
  switch (scope) {
    case Barrier::Scope::Cta: return "block";
    case Barrier::Scope::Cluster: return "cluster";
    case Barrier::Scope::Start: return "start";
    case Barrier::Scope::Grid: return "grid";
    case Barrier::Scope::LastCta: return "last";
  }
  return "block";
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
    const ExprTexts texts(rootsOf(stores), names(lanes));
    lets(texts, depth);
    for (const Store& store : stores) {
      const std::string width = store.contiguous ? fmt::format(" x{}", lanes) : "";
      const std::string target = fmt::format("{}[{}]{}", bufferName(buffers_, store.param), texts.of(store.offset), width);
      const std::string combines =
          store.accumulate ? fmt::format("{}{}=", store.isAtomic ? "atomic " : "", name(*store.accumulate)) : "=";
      line(depth, fmt::format("{} {} {}", target, combines, texts.of(store.value)));
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
  void print(const Combine& combine, int depth) {
    std::string items;
    for (const Combine::Item& item : combine.items) {
      items += fmt::format("{} {} {}", items.empty() ? ":" : ",", name(item.op), bufferName(buffers_, item.local));
      if (item.before) items += " before " + bufferName(buffers_, *item.before);
      if (item.partials)
        items += (combine.part == Combine::Part::Give ? " to " : " from ") + bufferName(buffers_, *item.partials);
    }
    const std::string stride = combine.stride == 1 ? "" : fmt::format(" stride {}", combine.stride);
    const std::string ctas = combine.ctas == 1 ? "" : fmt::format(" of {} blocks", combine.ctas);
    line(depth, fmt::format("{} {} threads{}{}{}", word(combine.part), combine.threads, stride, ctas, items));
  }
  void print(const Barrier& barrier, int depth) { line(depth, fmt::format("barrier {}", word(barrier.scope))); }
  void print(const CommitCopies&, int depth) { line(depth, "commit copies"); }
  void print(const AwaitCopies& await, int depth) {
    const std::string later = bound("but", await.later, depth);
    line(depth, "await copies" + later + (await.later == nullptr ? "" : fmt::format(" of {}", await.most)));
  }
  void print(const Lanes& lanes, int depth) {
    axes_.bind(lanes.axis, 'l');
    const int64_t width = lanes.axis->axis().extent;
    const std::string from = bound("from", lanes.first, depth);
    const std::string active = bound("active", lanes.active, depth);
    line(depth, fmt::format("lanes {} in {}{}{}{}", axis(lanes.axis), width, from, active, lanes.isAsync ? " async" : ""));
    stores(lanes.stores, width, depth + 1);
  }
  /// ` active 8 - i0`, after the lines of its lets; nothing where there is no such bound.
  std::string bound(std::string_view word, const Expr* value, int depth) {
    if (value == nullptr) return "";
    const ExprTexts texts({value}, names(0));
    lets(texts, depth);
    return fmt::format(" {} {}", word, texts.of(value));
  }

  std::vector<const Buffer*> buffers_;
  AxisNames axes_;
  std::string text_;
};

std::string launchText(const Kernel& kernel) {
  const Launch& launch = kernel.launch;
  if (kernel.backend == Backend::Cpu) return fmt::format("  launch {} tasks, {} at a time\n", launch.tasks, launch.grain);
  const std::string clusters =
      launch.cluster == 1 ? ""
                          : fmt::format(" {} of {}", launch.isPersistent ? "persistent clusters" : "clusters", launch.cluster);
  const std::string resident = launch.resident == 0 ? "" : fmt::format(", {} resident", launch.resident);
  return fmt::format("  launch {}{} blocks of {} threads{}\n", launch.grid, clusters, launch.block, resident);
}

std::string flagsText(const Kernel& kernel) {
  std::string text;
  if (kernel.index32) text += "  index32\n";
  if (kernel.math == Math::Exact) text += "  exact math\n";
  if (kernel.math == Math::Relaxed) text += "  relaxed math\n";
  if (kernel.explicitBarriers) text += "  explicit barriers\n";
  if (kernel.streamStores) text += "  stream stores\n";
  return text;
}

std::string_view word(Space space) {
  switch (space) {
    case Space::Private: return "private";
    case Space::Shared: return "shared";
    case Space::Global: return "global";
    case Space::Sums: return "sums";
  }
  return "private";
}

std::string localsText(const Kernel& kernel) {
  std::vector<BufferLine> lines;
  for (const Local& local : kernel.locals)
    lines.push_back({word(local.space), local.buffer, local.lanes == 1 ? "" : fmt::format("lanes {}", local.lanes)});
  return toText(lines);
}

/// The axes that reductions bind and the loops do not, in the order of their first use.
std::vector<const Expr*> reducedAxes(const Loops& loops) {
  std::vector<const Expr*> known = loops.axes;
  for (const Expr* node : postorder(rootsOf(loops.stores))) {
    if (node->op != Op::Reduce) continue;
    for (size_t i = 1; i < node->src.size(); ++i)
      if (std::find(known.begin(), known.end(), node->src[i]) == known.end()) known.push_back(node->src[i]);
  }
  return {known.begin() + static_cast<std::ptrdiff_t>(loops.axes.size()), known.end()};
}

/// `for i0 in 2, i1 in 3`, or nothing.
std::string axesText(std::string_view word, const std::vector<const Expr*>& axes, StatementPrinter& printer) {
  std::string text;
  for (const Expr* axis : axes) {
    printer.bind(axis, 'i');
    text += text.empty() ? fmt::format("{} ", word) : ", ";
    text += fmt::format("{} in {}", printer.axis(axis), axis->axis().extent);
  }
  return text;
}

}  // namespace

std::string toText(const Loops& loops) {
  std::vector<const Buffer*> buffers;
  std::vector<BufferLine> lines;
  for (const Buffer& buffer : loops.buffers) {
    buffers.push_back(&buffer);
    lines.push_back({kindText(buffer), buffer});
  }
  StatementPrinter printer(buffers);
  const std::string axes = axesText("for", loops.axes, printer);
  const std::string reduced = axesText(" reduce", reducedAxes(loops), printer);
  printer.line(1, (axes.empty() ? "once" : axes) + reduced);
  std::vector<Store> stores;
  for (const StoreTo& store : loops.stores) stores.push_back({store.buffer, store.offset, store.value, false, store.accumulate});
  printer.stores(stores, 0, 2);
  return fmt::format("loops {}\n", loops.name) + toText(lines) + printer.take();
}

std::string toText(const Kernel& kernel) {
  std::vector<BufferLine> lines;
  for (const Param& param : kernel.params)
    lines.push_back({kindText(param.buffer), param.buffer, fmt::format("align {}", param.alignment)});
  const std::string_view backend = kernel.backend == Backend::Cuda ? "cuda" : "cpu";
  StatementPrinter printer(buffersOf(kernel));
  if (kernel.list) {
    const Expr* count = kernel.list->count;
    printer.bind(count, 'i');
    printer.line(
        1, fmt::format("list {} in {} of {}", printer.axis(count), count->axis().extent, fmt::join(kernel.list->elements, ", ")));
  }
  printer.block(kernel.body, 1);
  return fmt::format("kernel {} on {}\n", kernel.name, backend) + launchText(kernel) + flagsText(kernel) + toText(lines) +
         localsText(kernel) + printer.take();
}

}  // namespace ir
