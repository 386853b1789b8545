// Coins: elements that are 1 with a probability, and elements that are dropped with one.
#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"
#include "lowering/tensor/random.h"

namespace lowering {
namespace {

using ir::DType;

/// Whether each element's coin shows 1: Bool.
Tensor coins(const Context& c, const Tensor& probability) {
  const auto isOne = [](Value number, Value p) { return cast(number, p.dtype()) < p; };
  Tensor coins = map(isOne, Draws(c).uniform(DType::F32), inOpmath(probability));
  coins.dtype = DType::Bool;
  return coins;
}
Tensor coins(const Context& c, double probability) {
  return coins(
      c, {DType::F32, {}, [value = Value{c.pool(), c.pool().constant(DType::F32, probability)}](const Index&) { return value; }});
}

const Lowering bernoulli{"aten::bernoulli", [](Context& c) -> Tensors {
                           const bool isNumber = c.has("p") && !c.argument("p").is<ir::ValueRef>();
                           const Tensor ones = isNumber ? coins(c, c.number("p")) : coins(c, c.tensor(c.has("p") ? "p" : "self"));
                           return {cast(ones, c.outputType().dtype)};
                         }};

/// x where it is kept, scaled so that its mean stays, and 0 elsewhere; the other elements' product with 0 keeps NaN.
Tensor dropped(const Context& c, const std::string& name, const Tensor& isKept) {
  const double keep = 1 - c.number("p"), scale = keep == 0 ? 0 : 1 / keep;
  const Tensor x = c.tensor(name);
  return cast(map([scale](Value one, Value kept) { return one * cast(kept, one.dtype()) * scale; }, inOpmath(x), isKept),
              x.dtype);
}

const Lowering nativeDropout{"aten::native_dropout", [](Context& c) -> Tensors {
                               const bool trains = c.isNone("train") || c.flag("train");
                               if (!trains)
                                 return {c.tensor("input"),
                                         constant(c.outputType(1), {c.pool(), c.pool().integer(DType::Bool, 1)})};
                               const Tensor isKept = coins(c, 1 - c.number("p"));
                               return {dropped(c, "input", isKept), isKept};
                             }};
const Lowering dropout{"aten::dropout", [](Context& c) -> Tensors {
                         if (!c.flag("train") || c.number("p") == 0) return {c.tensor("input")};
                         return {dropped(c, c.has("input") ? "input" : "self", coins(c, 1 - c.number("p")))};
                       }};
const Lowering nativeDropoutBackward{"aten::native_dropout_backward", [](Context& c) -> Tensors {
                                       const ir::DType dtype = c.outputType().dtype;  // floating, of integers as well
                                       const Tensor grad = cast(c.tensor("grad_output"), dtype);
                                       const double scale = c.number("scale");
                                       const auto scaled = [scale](Value one, Value kept) {
                                         return one * (cast(kept, one.dtype()) * scale);
                                       };
                                       return {cast(map(scaled, inOpmath(grad), c.tensor("mask")), dtype)};
                                     }};

}  // namespace
}  // namespace lowering
