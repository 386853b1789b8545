#include "lowering/kernel/merge_kernels.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "ir/error.h"
#include "ir/walk.h"
#include "lowering/kernel/statements.h"

namespace lowering {

using ir::Expr;

namespace {

/// Statements with buffers renumbered and one axis replaced.
class Moved {
 public:
  Moved(ir::ExprPool& pool, std::vector<int> numbers, const Expr* axis, const Expr* by)
      : pool_(pool), numbers_(std::move(numbers)), axis_(axis), by_(by) {}

  ir::Block block(const ir::Block& block);

 private:
  const Expr* expr(const Expr* root);
  const Expr* replaced(const Expr* node);
  ir::For statement(const ir::For& loop);
  ir::If statement(const ir::If& branch);
  ir::Lanes statement(const ir::Lanes& lanes);
  ir::Combine statement(ir::Combine combine) const;
  [[noreturn]] static ir::Barrier statement(const ir::Barrier&) { refuseWaits(); }
  [[noreturn]] static ir::CommitCopies statement(const ir::CommitCopies&) { refuseWaits(); }
  [[noreturn]] static ir::AwaitCopies statement(const ir::AwaitCopies&) { refuseWaits(); }
  [[noreturn]] static void refuseWaits() { ir::fail(ir::ErrorKind::Internal, "kernels with explicit barriers are merged"); }

  ir::ExprPool& pool_;
  std::vector<int> numbers_;
  const Expr* axis_;
  const Expr* by_;
};

ir::Block Moved::block(const ir::Block& block) {
  ir::Block moved;
  for (const ir::Statement& one : block) std::visit([&](const auto& node) { moved.push_back({statement(node)}); }, one.node);
  return moved;
}

const Expr* Moved::expr(const Expr* root) {
  if (root == nullptr) return nullptr;
  return ir::rewrite(pool_, root, [this](const Expr* node) { return replaced(node); });
}

const Expr* Moved::replaced(const Expr* node) {
  if (node == axis_) return by_;
  if (node->op != ir::Op::Load) return nullptr;
  return ir::movedLoad(pool_, node, numbers_[static_cast<std::size_t>(node->load().buffer)],
                       [this](const Expr* operand) { return expr(operand); });
}

ir::For Moved::statement(const ir::For& loop) { return {loop.axis, loop.kind, block(loop.body)}; }

ir::If Moved::statement(const ir::If& branch) { return {expr(branch.condition), block(branch.then), block(branch.otherwise)}; }

ir::Lanes Moved::statement(const ir::Lanes& lanes) {
  ir::Lanes moved{lanes.axis, expr(lanes.active), {}, expr(lanes.first)};
  for (const ir::Store& store : lanes.stores)
    moved.stores.push_back({numbers_[static_cast<std::size_t>(store.param)], expr(store.offset), expr(store.value),
                            store.contiguous, store.accumulate, store.isAtomic});
  return moved;
}

ir::Combine Moved::statement(ir::Combine combine) const {
  for (ir::Combine::Item& item : combine.items) {
    item.local = numbers_[static_cast<std::size_t>(item.local)];
    if (item.before) item.before = numbers_[static_cast<std::size_t>(*item.before)];
  }
  return combine;
}

/// Whether statements store a value that is computed by such an operation.
bool hasOperation(const ir::Block& block, const std::function<bool(const Expr*)>& isSuch) {
  return std::any_of(block.begin(), block.end(), [&](const ir::Statement& statement) {
    if (const auto* loop = std::get_if<ir::For>(&statement.node)) return hasOperation(loop->body, isSuch);
    if (const auto* branch = std::get_if<ir::If>(&statement.node))
      return hasOperation(branch->then, isSuch) || hasOperation(branch->otherwise, isSuch);
    const auto* lanes = std::get_if<ir::Lanes>(&statement.node);
    if (lanes == nullptr) return false;
    const std::vector<const Expr*> nodes = ir::postorder(ir::storedValues(lanes->stores));
    return std::any_of(nodes.begin(), nodes.end(), isSuch);
  });
}

bool hasFunctions(const ir::Kernel& kernel) {
  return hasOperation(kernel.body, [](const Expr* node) { return ir::isFunction(node->op); });
}

/// Whether relaxed math is allowed, or makes no difference.
bool mayRelax(const ir::Kernel& kernel) {
  const auto isInexact = [](const Expr* node) {
    return ir::isFunction(node->op) || node->op == ir::Op::Sqrt || node->op == ir::Op::Rsqrt ||
           (node->op == ir::Op::Div && ir::isFloating(node->dtype));
  };
  return kernel.math == ir::Math::Relaxed || !hasOperation(kernel.body, isInexact);
}

}  // namespace

bool agreeOnMath(const ir::Kernel& a, const ir::Kernel& b) {
  if (a.math == b.math) return true;
  const auto& [relaxed, exact] = a.math == ir::Math::Relaxed ? std::tie(a, b) : std::tie(b, a);
  return mayRelax(exact) || !hasFunctions(relaxed);
}

KernelMerger::KernelMerger(const ir::Kernel& first, const ir::Kernel& second, std::vector<std::string> intermediates,
                           Sharing sharing)
    : first_(first), second_(second), intermediates_(std::move(intermediates)), sharing_(sharing) {
  kernel.name = first.name;
  kernel.backend = first.backend;
  kernel.pool = first.pool;
  kernel.launch = first.launch;
  const bool isAnyRelaxed = first.math == ir::Math::Relaxed || second.math == ir::Math::Relaxed;
  kernel.math = isAnyRelaxed && mayRelax(first) && mayRelax(second) ? ir::Math::Relaxed : std::min(first.math, second.math);
  for (const ir::Kernel* one : {&first, &second})
    for (const ir::Param& param : one->params)
      if (!isIntermediate(param.buffer)) addParam(param);
  numbers_[0] = numbersOfFirst();
  numbers_[1] = numbersOfSecond();
}

bool KernelMerger::isIntermediate(const ir::Buffer& buffer) const {
  return std::find(intermediates_.begin(), intermediates_.end(), buffer.name) != intermediates_.end();
}

std::vector<int> KernelMerger::numbersOfFirst() {
  std::vector<int> numbers;
  for (const ir::Param& param : first_.params) {
    if (isIntermediate(param.buffer)) {
      ir::Buffer array = param.buffer;
      array.isRead = array.isWritten = true;
      numbers.push_back(addLocal({array, ir::Space::Global, 1}));
    } else {
      numbers.push_back(numberOf(param));
    }
  }
  for (const ir::Local& local : first_.locals) numbers.push_back(addLocal(local));
  return numbers;
}

std::vector<int> KernelMerger::numbersOfSecond() {
  std::vector<int> numbers;
  for (const ir::Param& param : second_.params)
    numbers.push_back(isIntermediate(param.buffer) ? numberOf(param.buffer.name) : numberOf(param));
  std::vector<bool> isFree(kernel.locals.size(), sharing_ == Sharing::Either);  // of the first one's, for the second one
  for (const ir::Local& local : second_.locals) {
    const std::optional<int> same = sharedLocal(local, isFree);
    if (same) isFree[static_cast<std::size_t>(*same)] = false;
    numbers.push_back(same ? static_cast<int>(kernel.params.size()) + *same : addLocal(local));
  }
  return numbers;
}

std::optional<int> KernelMerger::sharedLocal(const ir::Local& local, const std::vector<bool>& isFree) {
  for (std::size_t i = 0; i < isFree.size(); ++i) {
    ir::Local& other = kernel.locals[i];
    const bool areAlike = other.space == ir::Space::Shared && local.space == ir::Space::Shared && other.lanes == local.lanes &&
                          other.buffer.type.dtype == local.buffer.type.dtype;
    if (!isFree[i] || !areAlike) continue;
    if (other.buffer.type.storageElements() < local.buffer.type.storageElements()) other.buffer.type = local.buffer.type;
    return static_cast<int>(i);
  }
  return std::nullopt;
}

ir::Block KernelMerger::first() const { return Moved(*first_.pool, numbers_[0], nullptr, nullptr).block(first_.body); }

ir::Block KernelMerger::epilogueOfSecond() const {
  return Moved(*second_.pool, numbers_[1], nullptr, nullptr).block({second_.body.begin() + 1, second_.body.end()});
}

ir::Block KernelMerger::body(const ir::Kernel& of, const std::vector<int>& numbers, const Expr* number) const {
  const auto& outer = std::get<ir::For>(of.body.front().node);
  return Moved(*of.pool, numbers, outer.axis, number).block(outer.body);
}

int KernelMerger::numberOf(const ir::Param& param) const {
  const auto isSame = [&](const ir::Param& other) {
    return other.buffer.value == param.buffer.value && (param.buffer.value >= 0 || other.buffer.name == param.buffer.name);
  };
  return static_cast<int>(std::find_if(kernel.params.begin(), kernel.params.end(), isSame) - kernel.params.begin());
}

int KernelMerger::numberOf(const std::string& local) const {
  const auto isSame = [&](const ir::Local& other) { return other.buffer.name == local; };
  const auto found = std::find_if(kernel.locals.begin(), kernel.locals.end(), isSame);
  return static_cast<int>(kernel.params.size()) + static_cast<int>(found - kernel.locals.begin());
}

void KernelMerger::addParam(const ir::Param& param) {
  const auto number = static_cast<std::size_t>(numberOf(param));
  if (number == kernel.params.size()) kernel.params.push_back(param);
  ir::Buffer& known = kernel.params[number].buffer;
  known.isRead |= param.buffer.isRead;
  known.isWritten |= param.buffer.isWritten;
}

int KernelMerger::addLocal(ir::Local local) {
  local.buffer.name = freeName(kernel, local.buffer.name, "_");
  kernel.locals.push_back(std::move(local));
  return static_cast<int>(kernel.params.size() + kernel.locals.size() - 1);
}

}  // namespace lowering
