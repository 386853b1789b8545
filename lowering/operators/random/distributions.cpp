// Random numbers of distributions, made of uniform ones by the inverse of their distribution functions, normal ones by Box and
// Muller's formula.
#include <cmath>
#include <numbers>

#include "ir/error.h"
#include "lowering/tensor/lowering.h"
#include "lowering/tensor/random.h"

namespace lowering {
namespace {

using ir::DType;

/// The dtype of the first output. Error: Unsupported for what is not floating.
DType floatingOutput(const Context& c) {
  const DType dtype = c.outputType().dtype;
  if (!ir::isFloating(dtype)) ir::fail(ir::ErrorKind::Unsupported, "random numbers of {} are not lowered", ir::name(dtype));
  return dtype;
}

Tensors rounded(const Context& c, const Tensor& numbers) { return {cast(numbers, c.outputType().dtype)}; }

/// A parameter, a number or a tensor, in the dtype that the result is computed in.
Tensor parameter(const Context& c, const std::string& name) {
  const DType compute = ir::opmath(c.outputType().dtype);
  if (c.argument(name).is<ir::ValueRef>()) return cast(c.tensor(name), compute);
  return {compute, {}, [value = c.constant(name, compute)](const Index&) { return value; }};
}

Tensors uniform(Context& c) { return rounded(c, Draws(c).uniform(floatingOutput(c))); }

/// What rounds up to the upper bound, which is excluded, is the lower one.
const Lowering uniformBetween{"aten::uniform", [](Context& c) {
                                const DType dtype = floatingOutput(c);
                                const auto between = [dtype](Value number, Value from, Value to) {
                                  const Value result = cast(number * (to - from) + from, dtype);
                                  return where(result == cast(to, dtype), cast(from, dtype), result);
                                };
                                Tensor numbers = map(between, Draws(c).uniform(dtype), parameter(c, "from"), parameter(c, "to"));
                                numbers.dtype = dtype;
                                return Tensors{numbers};
                              }};
const Lowering rand{"aten::rand", uniform};
const Lowering randLike{"aten::rand_like", uniform};

Tensors standardNormal(Context& c) { return rounded(c, Draws(c).normal(floatingOutput(c))); }
const Lowering randn{"aten::randn", standardNormal};
const Lowering randnLike{"aten::randn_like", standardNormal};

Value scaled(Value number, Value mean, Value deviation) { return number * deviation + mean; }
Tensors normalOf(Context& c) {
  return rounded(c, map(scaled, Draws(c).normal(floatingOutput(c)), parameter(c, "mean"), parameter(c, "std")));
}
const Lowering normal{"aten::normal", normalOf};
const Lowering normalFunctional{"aten::normal_functional", normalOf};
const Lowering logNormal{
    "aten::log_normal", [](Context& c) {
      const auto power = [](Value number, Value mean, Value deviation) { return exp(scaled(number, mean, deviation)); };
      return rounded(c, map(power, Draws(c).normal(floatingOutput(c)), parameter(c, "mean"), parameter(c, "std")));
    }};

const Lowering exponential{"aten::exponential", [](Context& c) {
                             const auto inverse = [](Value number, Value rate) { return -log(number) / rate; };
                             return rounded(c, map(inverse, Draws(c).openUniform(floatingOutput(c)), parameter(c, "lambd")));
                           }};
const Lowering cauchy{"aten::cauchy", [](Context& c) {
                        const auto inverse = [](Value number, Value median, Value sigma) {
                          const Value angle = number * std::numbers::pi;
                          return median - sigma * cos(angle) / sin(angle);
                        };
                        const DType dtype = floatingOutput(c);
                        return rounded(c,
                                       map(inverse, Draws(c).openUniform(dtype), parameter(c, "median"), parameter(c, "sigma")));
                      }};
/// How many coins are thrown until one shows 1.
const Lowering geometric{"aten::geometric", [](Context& c) {
                           const DType dtype = c.outputType().dtype == DType::F64 ? DType::F64 : DType::F32;
                           const double scale = 1 / std::log1p(-c.number("p"));
                           return rounded(
                               c, map([scale](Value number) { return ceil(log(number) * scale); }, Draws(c).openUniform(dtype)));
                         }};

}  // namespace
}  // namespace lowering
