#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "ir/interpret/interpret.h"
#include "ir/loops.h"

namespace tests {

/// Makes I64 expressions of axes, of what is loaded, and of constants, as index arithmetic has them and as it does not; `below`
/// draws a number below another one.
class RandomIndex {
 public:
  RandomIndex(ir::ExprPool& pool, std::vector<const ir::Expr*> leaves, std::function<uint64_t(uint64_t)> below)
      : pool_(pool), leaves_(std::move(leaves)), below_(std::move(below)) {}

  const ir::Expr* make(int depth) {
    using ir::Op;
    if (depth == 0 || below_(9) == 0) return below_(4) == 0 ? number(constant()) : leaves_[below_(leaves_.size())];
    switch (below_(15)) {
      case 0:
      case 1:
      case 2: return pool_.make(Op::Add, {make(depth - 1), make(depth - 1)});
      case 3: return pool_.make(Op::Sub, {make(depth - 1), make(depth - 1)});
      case 4: return pool_.make(Op::Mul, {make(depth - 1), make(depth - 1)});
      case 5: return pool_.make(Op::Mul, {make(depth - 1), number(constant())});
      case 6: return pool_.make(Op::FloorDiv, {make(depth - 1), number(divisor())});
      case 7: return pool_.make(Op::Mod, {make(depth - 1), number(divisor())});
      case 8: return pool_.make(below_(2) == 0 ? Op::Div : Op::Rem, {make(depth - 1), number(divisor())});
      case 9: return pool_.make(below_(2) == 0 ? Op::Min : Op::Max, {make(depth - 1), make(depth - 1)});
      case 10: return pool_.make(below_(2) == 0 ? Op::Neg : Op::Abs, {make(depth - 1)});
      case 11: return pool_.make(Op::Where, {condition(depth - 1), make(depth - 1), make(depth - 1)});
      case 12: return pool_.cast(ir::DType::I64, pool_.cast(below_(2) == 0 ? ir::DType::I8 : ir::DType::U8, make(depth - 1)));
      case 13: return pool_.cast(ir::DType::I64, real(depth - 1));
      default: return blocks(make(depth - 1));
    }
  }

  /// A float made of indices and constants, such as a place in an image of another size.
  const ir::Expr* real(int depth) {
    using ir::Op;
    static const std::vector<ir::DType> types{ir::DType::F32, ir::DType::F64};
    static const std::vector<double> constants{0, 0.5, -0.5, 0.4980392, 2, -3.25, 1e-3, 250, 3e9};
    const auto number = [&] { return pool_.constant(ir::DType::F32, constants[below_(constants.size())]); };
    const ir::Expr* x = pool_.cast(ir::DType::F32, pool_.cast(types[below_(2)], make(depth > 0 ? depth - 1 : 0)));
    for (uint64_t step = below_(4); step > 0; --step) {
      switch (below_(5)) {
        case 0: x = pool_.make(below_(2) == 0 ? Op::Add : Op::Sub, {x, number()}); break;
        case 1: x = pool_.make(Op::Mul, {x, number()}); break;
        case 2: x = pool_.make(below_(2) == 0 ? Op::Floor : Op::Round, {x}); break;
        case 3: x = pool_.make(below_(2) == 0 ? Op::Max : Op::Min, {x, number()}); break;
        default: const ir::Expr* least = number(); x = pool_.make(Op::Where, {pool_.make(Op::Lt, {least, x}), x, least});
      }
    }
    return x;
  }

  /// x in blocks, as a view has it, now and then with one divisor that is another.
  const ir::Expr* blocks(const ir::Expr* x) {
    const ir::Expr *a = number(divisor()), *b = below_(4) == 0 ? number(divisor()) : a;
    const ir::Expr *block = pool_.make(ir::Op::FloorDiv, {x, a}), *inside = pool_.make(ir::Op::Mod, {x, b});
    return pool_.make(ir::Op::Add, {pool_.make(ir::Op::Mul, {block, b}), inside});
  }

  const ir::Expr* condition(int depth) {
    using ir::Op;
    if (depth > 0 && below_(4) == 0) {
      if (below_(3) == 0) return pool_.make(Op::Not, {condition(depth - 1)});
      return pool_.make(below_(2) == 0 ? Op::And : Op::Or, {condition(depth - 1), condition(depth - 1)});
    }
    static const std::vector<Op> comparisons{Op::Lt, Op::Le, Op::Eq, Op::Ne};
    const int below = depth > 0 ? depth - 1 : 0;
    return pool_.make(comparisons[below_(comparisons.size())], {make(below), make(below)});
  }

 private:
  const ir::Expr* number(int64_t value) { return pool_.integer(ir::DType::I64, value); }
  int64_t constant() {
    const uint64_t kind = below_(40);
    if (kind == 0) return INT64_MAX - static_cast<int64_t>(below_(3));
    if (kind == 1) return INT64_MIN + static_cast<int64_t>(below_(3));
    if (kind == 2) return int64_t{1} << below_(63);
    return static_cast<int64_t>(below_(33)) - 16;
  }
  int64_t divisor() {
    static const std::vector<int64_t> usual{2, 3, 4, 6, 8, 12, 24};
    const uint64_t kind = below_(12);
    if (kind == 0) return -1 - static_cast<int64_t>(below_(9));
    if (kind == 1) return 50 + static_cast<int64_t>(below_(500));
    if (kind == 2) return INT64_MAX - static_cast<int64_t>(below_(2));
    if (kind < 5) return 1 + static_cast<int64_t>(below_(30));
    return usual[below_(usual.size())];
  }

  ir::ExprPool& pool_;
  std::vector<const ir::Expr*> leaves_;
  std::function<uint64_t(uint64_t)> below_;
};

/// Loops over three axes, i0 in 6, i1 in 4, i2 in 5, which store two values at each point, the second in `out1`, made of the axes
/// and of what `in0` has there.
struct IndexLoops {
  ir::ExprPool& pool() const { return *loops.pool; }

  IndexLoops() {
    loops = {"index", std::make_shared<ir::ExprPool>(), {}, {}, {}};
    for (const int64_t extent : {6, 4, 5}) loops.axes.push_back(pool().axis(extent));
    const auto& axes = loops.axes;
    const auto scaled = [&](size_t axis, int64_t by) {
      return pool().make(ir::Op::Mul, {axes[axis], pool().integer(ir::DType::I64, by)});
    };
    place = pool().make(ir::Op::Add, {pool().make(ir::Op::Add, {scaled(0, 20), scaled(1, 5)}), axes[2]});
    const ir::TensorType type = ir::TensorType::contiguous(ir::DType::I64, {6, 4, 5});
    loops.buffers = {{"in0", type, -1, true, false}, {"out0", type, -1, false, true}, {"out1", type, -1, false, true}};
    leaves = axes;
    leaves.push_back(pool().load(0, ir::DType::I64, place));
  }

  /// Whether two I64 values are the same wherever the axes are in range, and whatever is loaded.
  bool areSame(const ir::Expr* a, const ir::Expr* b) {
    const auto [first, second] = values(a, b);
    return first == second;
  }
  /// What two I64 values are at each point.
  std::pair<std::vector<int64_t>, std::vector<int64_t>> values(const ir::Expr* a, const ir::Expr* b) {
    loops.stores = {{1, place, a}, {2, place, b}};
    std::vector<ir::Memory> memory(3, ir::Memory::zeros(ir::DType::I64, 120));
    auto& input = std::get<std::vector<int64_t>>(memory[0].data);
    for (size_t i = 0; i < input.size(); ++i)
      input[i] = i % 11 == 0 ? INT64_MAX - static_cast<int64_t>(i) : static_cast<int64_t>(i) - 60;
    ir::interpret(loops, memory);
    return {std::get<std::vector<int64_t>>(memory[1].data), std::get<std::vector<int64_t>>(memory[2].data)};
  }

  ir::Loops loops;
  const ir::Expr* place = nullptr;
  std::vector<const ir::Expr*> leaves;
};

}  // namespace tests
