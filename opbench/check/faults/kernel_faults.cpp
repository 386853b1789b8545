#include "opbench/check/faults/kernel_faults.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "ir/walk.h"

namespace opbench {
namespace {

using ir::DType;
using ir::Expr;
using ir::Op;

/// Whether the operation rounds.
bool rounds(Op op) {
  switch (op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Sqrt:
    case Op::Rsqrt: return true;
    default: return ir::isFunction(op);
  }
}

/// Rewrites the stores of one kernel.
class Breaker {
 public:
  Breaker(ir::Kernel& kernel, Fault fault) : kernel_(kernel), pool_(*kernel.pool), fault_(fault) {}

  /// Whether anything was changed.
  bool operator()() {
    breakBlock(kernel_.body);
    return isBroken_;
  }

 private:
  const Expr* make(Op op, std::vector<const Expr*> src) { return pool_.make(op, std::move(src)); }
  const Expr* number(int64_t value) { return pool_.integer(DType::I64, value); }

  bool isArgument(int buffer) const {
    return static_cast<size_t>(buffer) < kernel_.params.size() && !kernel_.buffer(buffer).isWritten;
  }
  bool isOutput(const ir::Store& store) const { return static_cast<size_t>(store.param) < kernel_.params.size(); }
  int64_t elementsOf(const ir::Store& store) const {
    return kernel_.params[static_cast<size_t>(store.param)].buffer.type.storageElements();
  }
  /// Where lane `lane` stores, an I64.
  const Expr* offsetOf(const ir::Store& store, const ir::Lanes& lanes, const Expr* lane) {
    return store.contiguous ? make(Op::Add, {store.offset, lane}) : ir::substitute(pool_, store.offset, lanes.axis, lane);
  }
  /// A value of the same dtype that is another one.
  const Expr* otherThan(const Expr* value) {
    if (value->dtype == DType::Bool) return make(Op::Not, {value});
    const DType dtype = ir::isFloating(value->dtype) ? ir::opmath(value->dtype) : value->dtype;
    return pool_.cast(value->dtype, make(Op::Add, {pool_.cast(dtype, value), pool_.constant(dtype, 1)}));
  }

  void breakBlock(ir::Block& block) {
    if (fault_ == Fault::DroppedBarrier) dropBarriers(block);
    for (ir::Statement& statement : block) {
      if (auto* loop = std::get_if<ir::For>(&statement.node)) breakBlock(loop->body);
      if (auto* branch = std::get_if<ir::If>(&statement.node)) {
        breakBlock(branch->then);
        breakBlock(branch->otherwise);
      }
      if (auto* lanes = std::get_if<ir::Lanes>(&statement.node)) breakLanes(*lanes, statement);
    }
  }

  void breakLanes(ir::Lanes& lanes, ir::Statement& statement) {
    for (ir::Store& store : lanes.stores) {
      if (!lanes.isAsync) breakValue(store, lanes);
      if (isOutput(store)) breakOutput(store, lanes);
    }
    if (fault_ == Fault::UnwrittenTail) leaveOut(lanes, statement);
    if (fault_ == Fault::UnwrittenOutput) leaveOutLast(lanes, statement);
    if (fault_ == Fault::WritesInput && !isBroken_) overwriteArgument(lanes);
  }

  void breakValue(ir::Store& store, const ir::Lanes& lanes) {
    switch (fault_) {
      case Fault::F16Accumulation: store.value = roughened(store.value); break;
      case Fault::ReadsPastEnd:
        store.value = withLoads(store.value, [&](const Expr* load) { return withNextOfLast(load, lanes); });
        break;
      case Fault::NarrowI64: store.value = withLoads(store.value, [&](const Expr* load) { return narrowed(load); }); break;
      default: break;
    }
  }

  void breakOutput(ir::Store& store, const ir::Lanes& lanes) {
    switch (fault_) {
      case Fault::OffByOne: shift(store, lanes); break;
      case Fault::Zeros: setZero(store); break;
      case Fault::NegativeZero: negateZero(store); break;
      case Fault::OneAlignment: {
        constexpr int64_t every = 16, at = 5;
        if (elementsOf(store) <= at) break;
        spoil(store, make(Op::Eq, {make(Op::Mod, {offsetOf(store, lanes, lanes.axis), number(every)}), number(at)}));
        break;
      }
      case Fault::OneShape:
        if (elementsOf(store) % 2 == 0) break;
        spoil(store, make(Op::Eq, {offsetOf(store, lanes, lanes.axis), number(elementsOf(store) - 1)}));
        break;
      default: break;
    }
  }

  /// Another value where a condition holds.
  void spoil(ir::Store& store, const Expr* condition) {
    store.value = make(Op::Where, {condition, otherThan(store.value), store.value});
    isBroken_ = true;
  }

  void negateZero(ir::Store& store) {
    if (!ir::isFloating(store.value->dtype)) return;
    const DType dtype = ir::opmath(store.value->dtype);
    const Expr* wide = pool_.cast(dtype, store.value);
    const Expr* zero = pool_.constant(dtype, 0.0);
    const Expr* isZero = make(Op::Eq, {wide, zero});
    store.value = make(Op::Where, {isZero, pool_.cast(store.value->dtype, make(Op::Neg, {zero})), store.value});
    isBroken_ = true;
  }

  void dropBarriers(ir::Block& block) {
    const size_t dropped = std::erase_if(block, [](const ir::Statement& statement) {
      const auto* barrier = std::get_if<ir::Barrier>(&statement.node);
      return barrier != nullptr && barrier->scope == ir::Barrier::Scope::Cta;
    });
    isBroken_ = isBroken_ || dropped > 0;
  }

  /// Nothing is stored to the last parameter that is written.
  void leaveOutLast(ir::Lanes& lanes, ir::Statement& statement) {
    const auto last = std::find_if(kernel_.params.rbegin(), kernel_.params.rend(),
                                   [](const ir::Param& param) { return param.buffer.isWritten; });
    const auto number = static_cast<int>(kernel_.params.rend() - last) - 1;
    ir::Lanes others = lanes;
    if (std::erase_if(others.stores, [&](const ir::Store& store) { return store.param == number; }) == 0) return;
    isBroken_ = true;
    if (others.stores.empty()) {
      ir::Block then{{lanes}};
      statement = {ir::If{pool_.integer(DType::Bool, 0), std::move(then), {}}};
    } else {
      statement = {std::move(others)};
    }
  }

  /// Where an output is stored, an argument's first element is stored as well.
  void overwriteArgument(ir::Lanes& lanes) {
    if (std::none_of(lanes.stores.begin(), lanes.stores.end(), [&](const ir::Store& store) { return isOutput(store); })) return;
    const auto param = std::find_if(kernel_.params.begin(), kernel_.params.end(),
                                    [](const ir::Param& param) { return !param.buffer.isWritten; });
    if (param == kernel_.params.end() || param->buffer.type.storageElements() == 0) return;
    constexpr int64_t unlikely = 77;
    param->buffer.isWritten = true;
    const DType dtype = param->buffer.type.dtype;
    lanes.stores.push_back(
        {static_cast<int>(param - kernel_.params.begin()), number(0), pool_.integer(dtype, dtype == DType::Bool ? 1 : unlikely)});
    isBroken_ = true;
  }

  /// The value with what `changed` makes of each load.
  template <typename Changed>
  const Expr* withLoads(const Expr* value, Changed changed) {
    return ir::rewrite(pool_, value, [&](const Expr* node) { return node->op == Op::Load ? changed(node) : nullptr; });
  }

  const Expr* narrowed(const Expr* load) {
    if (load->dtype != DType::I64 || !isArgument(load->load().buffer)) return load;
    isBroken_ = true;
    return pool_.cast(DType::I64, pool_.cast(DType::I32, load));
  }

  /// The sum of an argument's last element and the one after it; other elements as they are.
  const Expr* withNextOfLast(const Expr* load, const ir::Lanes& lanes) {
    const int buffer = load->load().buffer;
    if (!isArgument(buffer)) return load;
    const int64_t elements = kernel_.buffer(buffer).type.storageElements();
    const bool isVector = load->load().mode == ir::LoadMode::Contiguous;
    const Expr* offset = isVector ? make(Op::Add, {load->src[0], lanes.axis}) : load->src[0];
    const Expr* isLast = make(Op::Eq, {offset, number(elements - 1)});
    if (load->isMasked()) isLast = make(Op::And, {load->src[1], isLast});
    const Expr* next = pool_.load(buffer, make(Op::Add, {offset, number(1)}), isLast, pool_.integer(load->dtype, 0));
    isBroken_ = true;
    return make(Op::Where, {isLast, sumOf(load, next), load});
  }
  const Expr* sumOf(const Expr* a, const Expr* b) {
    if (a->dtype == DType::Bool) return make(Op::Xor, {a, b});
    const DType dtype = ir::isFloating(a->dtype) ? ir::opmath(a->dtype) : a->dtype;
    return pool_.cast(a->dtype, make(Op::Add, {pool_.cast(dtype, a), pool_.cast(dtype, b)}));
  }

  void setZero(ir::Store& store) {
    const DType dtype = store.value->dtype;
    store.value = pool_.constant(dtype, 0);
    isBroken_ = true;
  }

  void shift(ir::Store& store, const ir::Lanes& lanes) {
    const int64_t elements = elementsOf(store);
    if (elements < 2) return;
    const Expr* next = make(Op::Add, {offsetOf(store, lanes, lanes.axis), number(1)});
    store.offset = make(Op::Where, {make(Op::Lt, {next, number(elements)}), next, number(0)});
    store.contiguous = false;
    isBroken_ = true;
  }

  /// Only vectors that do not reach the last element of an output are stored.
  void leaveOut(ir::Lanes& lanes, ir::Statement& statement) {
    const Expr* isElsewhere = nullptr;
    for (const ir::Store& store : lanes.stores) {
      if (!isOutput(store)) continue;
      const Expr* last = number(elementsOf(store) - 1);
      for (int64_t lane = store.contiguous ? lanes.axis->axis().extent - 1 : 0; lane < lanes.axis->axis().extent; ++lane) {
        const Expr* isBefore = make(Op::Lt, {offsetOf(store, lanes, number(lane)), last});
        isElsewhere = isElsewhere == nullptr ? isBefore : make(Op::And, {isElsewhere, isBefore});
      }
    }
    if (isElsewhere == nullptr) return;
    isBroken_ = true;
    ir::Block then{{lanes}};
    statement = {ir::If{isElsewhere, std::move(then), {}}};
  }

  /// The value with the result of every operation rounded.
  const Expr* roughened(const Expr* value) {
    std::unordered_map<const Expr*, const Expr*> made;
    for (const Expr* node : ir::postorder({value})) {
      std::vector<const Expr*> src;
      for (const Expr* operand : node->src) src.push_back(made.at(operand));
      made[node] = rounded(src == node->src || node->op == Op::Load ? node : remade(*node, std::move(src)));
    }
    return made.at(value);
  }
  const Expr* remade(const Expr& node, std::vector<const Expr*> src) {
    return node.op == Op::Cast ? pool_.cast(node.dtype, src[0]) : make(node.op, std::move(src));
  }
  const Expr* rounded(const Expr* value) {
    if (!rounds(value->op) || (value->dtype != DType::F32 && value->dtype != DType::F64)) return value;
    isBroken_ = true;
    return pool_.cast(value->dtype, pool_.cast(value->dtype == DType::F64 ? DType::F32 : DType::F16, value));
  }

  ir::Kernel& kernel_;
  ir::ExprPool& pool_;
  Fault fault_;
  bool isBroken_ = false;
};

}  // namespace

bool breakKernel(ir::Kernel& kernel, Fault fault) { return Breaker(kernel, fault)(); }

}  // namespace opbench
