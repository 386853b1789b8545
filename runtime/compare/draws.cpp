#include "runtime/compare/draws.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/erfc.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "runtime/compare/order.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/state.h"
#include "runtime/torch/types.h"

namespace runtime {
namespace {

constexpr int64_t mostElements = int64_t{1} << 20;  // that statistics are made of

/// `bernoulli` of `aten.bernoulli_.float`.
std::string packetOf(const std::string& op) {
  std::string packet = op.substr(5, op.find('.', 5) - 5);
  if (packet.ends_with("_")) packet.pop_back();
  return packet;
}

/// The arguments of a call as they were before it wrote to them.
class Arguments {
 public:
  explicit Arguments(const AtenCall& call) : call_(call) {}

  c10::IValue value(const std::string& name) const {
    const auto index = call_.handle.schema().argumentIndexWithName(name);
    return index ? call_.arguments[static_cast<size_t>(*index)] : c10::IValue();
  }
  bool has(const std::string& name) const { return !value(name).isNone(); }
  /// A number, or `other` where none is given.
  double number(const std::string& name, double other) const { return has(name) ? value(name).toScalar().toDouble() : other; }
  bool flag(const std::string& name, bool other) const { return has(name) ? value(name).toBool() : other; }
  at::Tensor tensor(const std::string& name) const {
    const auto index = static_cast<int>(*call_.handle.schema().argumentIndexWithName(name));
    const at::Tensor now = value(name).toTensor();
    for (size_t i = 0; i < call_.effects.written.size(); ++i)
      if (call_.effects.written[i] == index) return shapeLike(call_.pristine[i], now);
    return now;
  }
  /// A number, a tensor that is broadcast, or `other`: one element for each of a tensor's, as f64.
  at::Tensor expanded(const std::string& name, double other, const at::Tensor& like) const {
    const bool isTensor = has(name) && value(name).isTensor();
    const at::Tensor one = isTensor ? tensor(name) : at::full({}, number(name, other), like.options().dtype(at::kDouble));
    return one.to(at::kDouble).expand(like.sizes());
  }

 private:
  const AtenCall& call_;
};

/// The place of each element in its distribution, or the number of a coin; and the mean and the variance of that.
struct Model {
  at::Tensor number, mean, variance;
  bool isCoin = false;
  at::Tensor isPossible;
  std::string rule;  ///< what is impossible is not that
  double placeError = 0;
  double mostEqual = 1;  ///< the chance that two of one element are the same, at most; of a coin each has its own
};

double spacing(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kHalf: return std::ldexp(1.0, -10);
    case at::kBFloat16: return std::ldexp(1.0, -7);
    case at::kFloat: return std::ldexp(1.0, -23);
    case at::kDouble: return std::ldexp(1.0, -52);
    default: return 0;
  }
}

double largest(const at::Tensor& tensor) { return tensor.numel() == 0 ? 0 : tensor.abs().max().item<double>(); }

/// Ones and others, each with a probability of its own.
Model coin(const at::Tensor& number, const at::Tensor& probability) {
  const at::Tensor variance = probability * (1 - probability);
  const at::Tensor isBit = number.eq(0).logical_or(number.eq(1));
  return {number,         probability, variance, true, isBit.logical_and(variance.ne(0).logical_or(number.eq(probability))),
          "a coin's side"};
}

/// Places that are uniform. Where the numbers have one value alone, that is asked for.
Model uniformPlaces(const at::Tensor& places, const at::Tensor& isPossible, std::string rule, double placeError) {
  Model model{places,    at::full_like(places, 0.5), at::full_like(places, 1.0 / 12), false, isPossible, std::move(rule),
              placeError};
  model.mostEqual = 1.0 / 64;
  return model;
}

at::Tensor normalPlaces(const at::Tensor& x) { return 0.5 * at::erfc(x * -(1 / std::numbers::sqrt2)); }

Model uniform(const Arguments& arguments, const at::Tensor& found, const at::Tensor& x) {
  const double from = arguments.number("from", 0), to = arguments.number("to", 1), width = to - from;
  if (width == 0) return coin(x.eq(from).to(at::kDouble), at::ones_like(x));
  const double rounding = spacing(found) * std::max(std::abs(from), std::abs(to)) / width;
  return uniformPlaces((x - from) / width, x.ge(from).logical_and(x.lt(to).logical_or(x.sub(to).abs().le(rounding * width))),
                       "in its bounds", rounding);
}

Model normal(const Arguments& arguments, const at::Tensor& found, const at::Tensor& x, bool isLogarithm) {
  const at::Tensor mean = arguments.expanded("mean", isLogarithm ? 1 : 0, x);
  const at::Tensor deviation = arguments.expanded("std", isLogarithm ? 2 : 1, x);
  const at::Tensor numbers = ((isLogarithm ? x.log() : x) - mean) / deviation;
  const at::Tensor isPossible = x.isfinite().logical_and(isLogarithm ? x.ge(0) : x.eq(x));
  const double inverse = largest(1 / deviation);
  const double rounding = spacing(found) * (isLogarithm ? inverse : largest(mean) * inverse + 1);
  return uniformPlaces(normalPlaces(numbers), isPossible, "finite", rounding);
}

/// The integers that a call draws: from the first to before the last, these as doubles.
std::pair<double, double> integerRange(const Arguments& arguments, const at::Tensor& found, bool isRandom) {
  if (!isRandom) return {arguments.number("low", 0), arguments.number("high", 0)};
  const double from = arguments.number("from", 0);
  if (arguments.has("to")) return {from, arguments.number("to", 0)};
  const at::ScalarType type = found.scalar_type();
  if (type == at::kBool) return {from, 2};
  if (!at::isFloatingType(type))
    return {from, std::ldexp(1.0, static_cast<int>(8 * found.itemsize()) - (type == at::kByte ? 0 : 1))};
  return {from, 2 / spacing(found) + 1};
}

Model integers(const std::pair<double, double>& range, const at::Tensor& found, const at::Tensor& x) {
  const auto [low, high] = range;
  const double count = high - low;
  const double mostRounded = high - 1 + spacing(found) * high / 2;  // where the dtype does not hold all of them
  const at::Tensor isPossible = x.eq(x.round()).logical_and(x.ge(low)).logical_and(x.le(mostRounded));
  const double rounding = spacing(found) * std::max(std::abs(low), std::abs(high)) / count;
  Model model = uniformPlaces((x - low + 0.5) / count, isPossible, "an integer in its bounds", 0.5 / count + rounding);
  model.variance.fill_((1 - 1 / (count * count)) / 12);
  model.mostEqual = std::max(1 / count, 1.0 / 64);
  return model;
}

std::optional<Model> modelOf(const std::string& packet, const Arguments& arguments, const at::Tensor& found) {
  const at::Tensor x = found.to(at::kDouble);
  if (packet == "bernoulli") return coin(x, arguments.expanded(arguments.has("p") ? "p" : "self", 0.5, x));
  if (packet == "rand" || packet == "rand_like" || packet == "uniform") return uniform(arguments, found, x);
  if (packet == "randn" || packet == "randn_like" || packet == "normal" || packet == "normal_functional")
    return normal(arguments, found, x, false);
  if (packet == "log_normal") return normal(arguments, found, x, true);
  if (packet == "exponential")
    return uniformPlaces(-(x * -arguments.number("lambd", 1)).expm1(), x.ge(0).logical_and(x.isfinite()), "positive",
                         spacing(found));
  if (packet == "cauchy") {
    const double median = arguments.number("median", 0), sigma = arguments.number("sigma", 1);
    return uniformPlaces(((x - median) / sigma).atan() / std::numbers::pi + 0.5, x.eq(x), "a number",
                         spacing(found) * (std::abs(median) / sigma + 1));
  }
  if (packet == "geometric") {
    Model model = coin(x.eq(1).to(at::kDouble), at::full_like(x, arguments.number("p", 1)));
    model.isPossible = x.ge(1).logical_and(x.eq(x.round()));
    model.rule = "a number of throws";
    return model;
  }
  if (packet == "randint" || packet == "randint_like" || packet == "random")
    return integers(integerRange(arguments, found, packet == "random"), found, x);
  return std::nullopt;
}

bool isDropout(const std::string& packet) { return packet == "dropout" || packet == "native_dropout"; }

/// The chance that an element is kept.
double keepChance(const Arguments& arguments) { return arguments.flag("train", true) ? 1 - arguments.number("p", 0) : 1; }

at::Tensor inputOf(const Arguments& arguments) { return arguments.tensor(arguments.has("input") ? "input" : "self"); }

/// The mask of kept elements; where none is returned, the mask of elements that are neither 0 nor infinity times 0.
at::Tensor keptOf(const TensorList& outputs) {
  const std::vector<at::Tensor>& all = outputs.state().tensors;
  return all.size() > 1 ? all[1] : all[0].ne(0).logical_and(all[0].eq(all[0]));
}

/// The model of dropped elements. Where nothing but zeros tells whether one was dropped, inputs of zero and NaN are left out.
Model dropoutModel(const Arguments& arguments, const TensorList& outputs) {
  const at::Tensor x = keptOf(outputs).to(at::kDouble);
  Model model = coin(x, at::full_like(x, keepChance(arguments)));
  if (outputs.size() > 1) return model;
  const at::Tensor input = inputOf(arguments), isHidden = input.eq(0).logical_or(input.ne(input));
  model.mean = at::where(isHidden, x, model.mean);
  model.variance = at::where(isHidden, at::zeros_like(x), model.variance);
  model.isPossible = model.isPossible.logical_or(isHidden);
  return model;
}

std::vector<double> hostValues(const at::Tensor& tensor, const at::Tensor& like) {
  const at::Tensor flat = head(tensor, like, mostElements).to(at::kCPU).contiguous();
  return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

/// What no draw is, or nothing.
std::string impossibleIn(const Model& model, const at::Tensor& found) {
  const at::Tensor isWrong = model.isPossible.logical_not();
  if (!isWrong.any().item<bool>()) return "";
  const at::Tensor all = found.to(at::kDouble).masked_select(isWrong);
  return fmt::format("has {}, which is not {}; {} of {} elements are impossible", all[0].item<double>(), model.rule, all.numel(),
                     found.numel());
}

Draws drawsOf(const Model& model, const at::Tensor& found, int output) {
  Draws draws;
  draws.output = output;
  draws.impossible = impossibleIn(model, found);
  draws.deviations = hostValues(model.number - model.mean, found);
  draws.variances = hostValues(model.variance, found);
  draws.range = model.isCoin ? 1 : 0.5;
  if (!model.isCoin) draws.places = hostValues(model.number, found);
  draws.placeError = model.placeError;
  draws.logOfEqual = model.isCoin ? (1 - 2 * model.variance).log().sum().item<double>()
                                  : std::log(model.mostEqual) * static_cast<double>(found.numel());
  for (int64_t lag = 1; lag < found.numel() && lag < mostElements; lag *= 2) draws.lags.push_back(lag);
  int64_t inner = 1;
  for (int64_t d : memoryOrder(found)) inner *= found.size(d);
  for (int64_t d : memoryOrder(found))
    if (found.size(d) > 0 && (inner /= found.size(d)) > 1) draws.lags.push_back(inner);
  draws.lags.insert(draws.lags.end(), {3, 5, 6, 7});
  return draws;
}

}  // namespace

std::optional<Draws> drawsOf(AtenCall& call, const TensorList& outputs) {
  const c10::InferenceMode guard;
  const Arguments arguments(call);
  const std::string packet = packetOf(call.op);
  if (isDropout(packet)) {
    const int output = outputs.size() > 1 ? 1 : 0;
    return drawsOf(dropoutModel(arguments, outputs), outputs.state().tensors[static_cast<size_t>(output)], output);
  }
  const at::Tensor& found = outputs.state().tensors.at(0);
  const std::optional<Model> model = modelOf(packet, arguments, found);
  return model ? std::optional(drawsOf(*model, found, 0)) : std::nullopt;
}

std::optional<Derived> derivedFromDraws(AtenCall& call, const TensorList& outputs) {
  if (!isDropout(packetOf(call.op))) return std::nullopt;
  const c10::InferenceMode guard;
  const Arguments arguments(call);
  const at::Tensor x = inputOf(arguments), kept = keptOf(outputs);
  const double keep = keepChance(arguments), scale = keep == 0 ? 0 : 1 / keep;
  const auto with = [&](const at::Tensor& first) {
    std::vector<at::Tensor> all = outputs.state().tensors;
    all[0] = at::empty_like(all[0], first.options()).copy_(first);
    return makeTensorList(std::move(all));
  };
  const at::Tensor wide = x.to(at::kDouble).mul(kept).mul(scale);
  // On CPUs eager scales the coins, and rounds them, before it multiplies.
  const at::Tensor eager = x.mul(kept.to(x.scalar_type()).mul(scale));
  return Derived{with(eager), with(wide)};
}

}  // namespace runtime
