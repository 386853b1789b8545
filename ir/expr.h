#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/dtype.h"

namespace ir {

/// What an expression computes: a leaf (Const, Axis, Load), a reduction, a scan, or a scalar operation of ops.def.
enum class Op : uint8_t {
  Const,   ///< payload: the value
  Axis,    ///< a loop variable, I64; payload: its identity and extent
  Load,    ///< src[0] is an element offset into a buffer; payload: the buffer and how lanes are read. A masked one reads memory
           ///< only where the Bool src[1] holds, and is src[2] elsewhere, where its offset may be any number
  Reduce,  ///< src[0] combined over all values of the axes src[1..], which are bound by it; payload: the operation
  Scan,    ///< src[0] combined over the values of the axis src[1] from 0 to the one at hand; payload: the operation
#define OP(name, text, arity, operands, cost) name,
#include "ir/ops.def"
};

/// `add` for Op::Add; the others are `const`, `axis`, `load`, `reduce`, `scan`.
std::string_view name(Op op);
/// The scalar operation of that name, or Op::Const where there is none.
Op opFromName(std::string_view text);
/// Operands of a scalar operation; 0 for leaves; of a Load, a Reduce or a Scan its offset or its body alone.
int arity(Op op);
/// Whether the result is Bool whatever the operands are.
bool isPredicate(Op op);
/// Whether values can be combined by it in any order: Add, Mul, Max, Min of numbers, LogAddExp of floating ones, And, Or of
/// Bools.
bool isReduction(Op op);
/// Whether an operation takes as long as a function call.
bool isFunction(Op op);

/// How the lanes of a vector read memory; only a schedule chooses other than PerLane.
enum class LoadMode : uint8_t {
  PerLane,     ///< every lane reads at its own offset (also: scalar code)
  Contiguous,  ///< lane l reads `offset + l`; the offset does not depend on the lane
};

/// A loop variable: axes are equal only by id; extent is the number of values it takes, from 0.
struct AxisInfo {
  int id = 0;
  int64_t extent = 0;
  bool operator==(const AxisInfo&) const = default;
};
/// A memory read: `buffer` indexes Loops::buffers or Kernel::params.
struct LoadInfo {
  int buffer = 0;
  LoadMode mode = LoadMode::PerLane;
  bool operator==(const LoadInfo&) const = default;
};

/// How a Reduce or Scan combines: an operation that isReduction.
struct ReduceInfo {
  Op op = Op::Add;
  bool operator==(const ReduceInfo&) const = default;
};

/// int64_t holds Bool and integer constants (u64 by its bits), double all floating ones.
using Payload = std::variant<std::monostate, int64_t, double, AxisInfo, LoadInfo, ReduceInfo>;

/// One node of an expression: immutable and interned, so equal expressions of one pool are the same pointer.
struct Expr {
  Op op;
  DType dtype;
  std::vector<const Expr*> src;
  Payload payload;

  bool isConst() const { return op == Op::Const; }
  const AxisInfo& axis() const { return std::get<AxisInfo>(payload); }
  const LoadInfo& load() const { return std::get<LoadInfo>(payload); }
  /// Whether a Load reads memory only where a condition holds.
  bool isMasked() const { return op == Op::Load && src.size() > 1; }
  /// Whether its body is evaluated at other points than the one at hand: a Reduce or a Scan.
  bool isCombining() const { return op == Op::Reduce || op == Op::Scan; }
  /// The operation by which a Reduce or Scan combines.
  Op reduction() const { return std::get<ReduceInfo>(payload).op; }
  /// The value of an integer or Bool constant.
  int64_t integer() const { return std::get<int64_t>(payload); }
};

/// A C++ number that becomes a constant. An unsigned one says itself how it is meant: as an int64_t, or by its bits.
template <typename T>
concept Number = std::signed_integral<T> || std::floating_point<T>;

/// Owns and interns expressions. Integer and Bool operations on constants fold, and identities go (x+0, x-0, x*1, 0*x, x/1,
/// x%1, `and` and `or` with a constant, `where` and masks of a constant); floating point is never touched, but casts of constants
/// are.
class ExprPool {
 public:
  ExprPool();
  ~ExprPool();
  ExprPool(const ExprPool&) = delete;
  ExprPool& operator=(const ExprPool&) = delete;

  /// A constant: a floating `value` is rounded to what `dtype` can hold, an integer is an `integer`.
  const Expr* constant(DType dtype, Number auto value) {
    if constexpr (std::floating_point<decltype(value)>)
      return rounded(dtype, value);
    else
      return integer(dtype, value);
  }
  /// A constant of all 64 bits of `value`: an integer dtype wraps them (u64 takes them as they are), a floating one rounds them
  /// once.
  const Expr* integer(DType dtype, int64_t value);
  /// A new axis, different from every other one of the pool.
  const Expr* axis(int64_t extent);
  /// The axis of this id; made when it is new (for the parser).
  const Expr* axis(int id, int64_t extent);
  const Expr* load(int buffer, DType dtype, const Expr* offset, LoadMode mode = LoadMode::PerLane);
  /// A Load with a mask and what it is elsewhere; one of these two where the mask is a constant.
  const Expr* load(int buffer, const Expr* offset, const Expr* mask, const Expr* other, LoadMode mode = LoadMode::PerLane);
  /// A scalar operation other than Cast; the operands' dtypes must fit (Internal error otherwise).
  const Expr* make(Op op, std::vector<const Expr*> src);
  /// `body`, whose dtype is the result's, combined over its axes; over none it is the body.
  const Expr* reduce(Op op, const Expr* body, const std::vector<const Expr*>& axes);
  /// `body` combined over the values of one of its axes from 0 to the one at hand; over an axis of one value it is the body.
  const Expr* scan(Op op, const Expr* body, const Expr* axis);
  /// What a combination starts from: 0 for Add, the lowest value for Max, true for And, ...
  const Expr* identity(Op op, DType dtype);
  /// `x` as another dtype; x itself if it has that dtype.
  const Expr* cast(DType dtype, const Expr* x);

  int64_t size() const;

 private:
  const Expr* rounded(DType dtype, double value);
  const Expr* intern(Expr expr);
  struct State;
  std::unique_ptr<State> state_;
};

using ExprPoolPtr = std::shared_ptr<ExprPool>;

}  // namespace ir
