#pragma once

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lowering/tensor/lowering.h"

namespace lowering {

/// How a pointwise operator treats dtypes, after ATen's type promotion. A function that yields Bool, a predicate, returns
/// Bool in either case.
enum class Promotion {
  Default,     ///< computes and returns the promoted dtype of its arguments
  IntToFloat,  ///< the same, with integers and Bool as f32
};

/// A Bool tensor argument: unlike a Value it takes no part in type promotion.
struct Mask : Value {
  using Value::Value;
};

/// One argument of the scalar function: a tensor or number by schema position or name, and whether it is a Mask.
struct Operand {
  int position = -1;
  std::string name;  ///< used where position is -1
  bool isMask = false;
};

using ScalarFunction = std::function<Value(const std::vector<Value>&)>;

/// The dtype ATen promotes these operands of a call to (at::result_type); masks are left out.
ir::DType promotedType(const Context& context, const std::vector<Operand>& operands);

/// Broadcasts the operands, promotes them as ATen does, computes in opmath, and rounds once to the result dtype. A predicate's
/// numbers are rounded to the promoted dtype, as ATen's are on every device: `x >= 1e-12` is true of a half that is 0.
Tensors pointwise(Context& context, const std::vector<Operand>& operands, Promotion promotion, const ScalarFunction& function);

namespace detail {
/// The parameters of a scalar function: a plain function or a lambda.
template <typename... A>
struct Parameters {
  static constexpr std::size_t arity = sizeof...(A);
  static constexpr std::array<bool, sizeof...(A)> isMask{std::is_same_v<A, Mask>...};
  template <typename F, std::size_t... I>
  static Value call(const F& f, const std::vector<Value>& v, std::index_sequence<I...>) {
    return f(A(v[I].pool(), v[I].expr())...);
  }
};
template <typename T>
struct Signature : Signature<decltype(&T::operator())> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...) const> : Parameters<A...> {};
template <typename R, typename... A>
struct Signature<R (*)(A...)> : Parameters<A...> {};
}  // namespace detail

/// pointwise() with a plain lambda `[](Value x, Mask m) {...}` over the arguments of these names; without names, over the
/// call's first ones.
template <typename F>
Tensors pointwise(Context& context, const std::vector<std::string>& names, F function, Promotion promotion = Promotion::Default) {
  using S = detail::Signature<F>;
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < S::arity; ++i) {
    const bool named = !names.empty();
    operands.push_back({named ? -1 : static_cast<int>(i), named ? names.at(i) : std::string(), S::isMask[i]});
  }
  return pointwise(context, operands, promotion, [function](const std::vector<Value>& v) {
    return S::call(function, v, std::make_index_sequence<S::arity>{});
  });
}
template <typename F>
Tensors pointwise(Context& context, F function, Promotion promotion = Promotion::Default) {
  return pointwise(context, std::vector<std::string>{}, function, promotion);
}

}  // namespace lowering
