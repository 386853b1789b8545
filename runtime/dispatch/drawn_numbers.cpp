#include "runtime/dispatch/drawn_numbers.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>

#include "runtime/dispatch/interceptor.h"

namespace runtime {
namespace {

constexpr std::string_view dropout = "native_dropout";
/// Operators whose results are the numbers that they draw, in place or not.
constexpr std::array<std::string_view, 17> draws{
    "bernoulli", "cauchy",  "exponential",  "geometric", "log_normal", "multinomial", "normal",   "poisson", "rand",
    "rand_like", "randint", "randint_like", "randn",     "randn_like", "random",      "randperm", "uniform"};

/// `bernoulli` of `aten::bernoulli_`.
std::string_view packetOf(std::string_view op) {
  if (op.starts_with("aten::")) op.remove_prefix(6);
  if (op.ends_with('_')) op.remove_suffix(1);
  return op;
}

/// Finds the calls that draw: after them the generator stands elsewhere.
class DrawInterceptor : public Interceptor {
 public:
  explicit DrawInterceptor(at::Device device) : device_(device), state_(generatorState(device)) {}

  void call(InterceptedCall& call) final {
    const std::string& op = call.op().operator_name().name;
    const std::string_view packet = packetOf(op);
    at::Tensor input;
    if (packet == dropout) input = call.arguments()[0].toTensor();
    const double chance = packet == dropout ? call.arguments()[1].toDouble() : 0;
    call.carryOut(Inner::Unseen);
    at::Tensor now = generatorState(device_);
    if (at::equal(now, state_)) return;
    state_ = std::move(now);
    const auto result = [&](size_t i) { return call.results()[i].toTensor(); };
    if (packet == dropout) return drewMask(op, input, chance, result(0), result(1));
    if (std::find(draws.begin(), draws.end(), packet) != draws.end()) return drew(op, result(0));
    drewInside(op);
  }

 protected:
  virtual void drew(const std::string& op, const at::Tensor& numbers) = 0;
  virtual void drewMask(const std::string& op, const at::Tensor& input, double chance, const at::Tensor& output,
                        const at::Tensor& mask) = 0;
  virtual void drewInside(const std::string& op) = 0;

 private:
  at::Device device_;
  at::Tensor state_;
};

class DrawRecorder : public DrawInterceptor {
 public:
  using DrawInterceptor::DrawInterceptor;
  DrawnNumbers found;

 private:
  void drewMask(const std::string& op, const at::Tensor&, double, const at::Tensor&, const at::Tensor& mask) override {
    drew(op, mask);
  }
  void drewInside(const std::string& op) override {
    if (found.unknown.empty()) found.unknown = op;
  }

  void drew(const std::string& op, const at::Tensor& numbers) override {
    if (!found.unknown.empty()) return;
    const at::ScalarType dtype = packetOf(op) == "bernoulli" ? at::kBool : numbers.scalar_type();
    found.draws.push_back({op, numbers.detach().to(dtype, /*non_blocking=*/false, /*copy=*/true)});
  }
};

class DrawReplay : public DrawInterceptor {
 public:
  DrawReplay(at::Device device, DrawnNumbers numbers) : DrawInterceptor(device), draws_(std::move(numbers.draws)) {}

  /// Why the run cannot have the numbers, once it is over.
  std::string whyNot() const {
    if (!whyNot_.empty() || next_ == draws_.size()) return whyNot_;
    return fmt::format("it draws {} times where the numbers are those of {}", next_, draws_.size());
  }

 private:
  void drew(const std::string& op, const at::Tensor& numbers) override { give(op, numbers); }
  void drewMask(const std::string& op, const at::Tensor& input, double chance, const at::Tensor& output,
                const at::Tensor& mask) override {
    if (give(op, mask)) output.copy_(input.mul(mask).mul_(chance == 1 ? 0 : 1 / (1 - chance)));
  }
  void drewInside(const std::string& op) override { refuse(fmt::format("{} draws in its kernel", op)); }

  /// Whether the next numbers are such a call's; then the target gets them.
  bool give(const std::string& op, const at::Tensor& target) {
    if (!whyNot_.empty()) return false;
    if (next_ == draws_.size() || draws_[next_].op != op || draws_[next_].numbers.sizes() != target.sizes()) {
      refuse(fmt::format("its call {} of {} is not the one that drew the numbers", next_ + 1, op));
      return false;
    }
    target.copy_(std::exchange(draws_[next_++].numbers, at::Tensor()));
    return true;
  }
  void refuse(std::string why) {
    if (whyNot_.empty()) whyNot_ = std::move(why);
  }

  std::vector<DrawnNumbers::Draw> draws_;
  size_t next_ = 0;
  std::string whyNot_;
};

}  // namespace

at::Tensor generatorState(at::Device device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return generator.get_state();
}

DrawnNumbers numbersDrawnBy(at::Device device, const std::function<void()>& run) {
  DrawRecorder recorder(device);
  const Interception interception(recorder);
  run();
  return std::move(recorder.found);
}

std::string runWithNumbers(DrawnNumbers numbers, at::Device device, const std::function<void()>& run) {
  if (!numbers.unknown.empty()) return fmt::format("{} draws in its kernel", numbers.unknown);
  DrawReplay replay(device, std::move(numbers));
  const Interception interception(replay);
  run();
  return replay.whyNot();
}

}  // namespace runtime
