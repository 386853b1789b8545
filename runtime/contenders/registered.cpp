#include "runtime/contenders/registered.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "runtime/torch/aten_call.h"
#include "runtime/torch/schema.h"
#include "runtime/torch/state.h"
#include "runtime/torch/translate.h"
#include "runtime/workloads/call.h"

namespace runtime {
namespace {

bool isDefault(const c10::IValue& value, const c10::Argument& formal) {
  if (value.isNone()) return true;
  if (!formal.default_value() || value.isTensor()) return false;
  return c10::IValue(value).equals(*formal.default_value()).toBool();
}

/// What a workload gives an operator of the user's, and takes for its results.
class Source {
 public:
  virtual ~Source() = default;

  virtual const std::string& op() const = 0;
  /// The names of its arguments, in order, and whether the operator may leave one out.
  virtual std::vector<std::string> names() const = 0;
  virtual bool isOptional(std::size_t argument) const = 0;
  /// The arguments of a set.
  virtual torch::jit::Stack arguments(int set) const = 0;
  /// The workload's outputs, from what the operator returned on a set.
  virtual std::vector<at::Tensor> outputs(int set, std::vector<at::Tensor> returned) const = 0;
  virtual void reseed() {}
};

class CallSource : public Source {
 public:
  explicit CallSource(AtenCall& call) : call_(call) {}

  const std::string& op() const override { return call_.op; }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const c10::Argument& formal : call_.handle.schema().arguments()) names.push_back(formal.name());
    return names;
  }
  bool isOptional(std::size_t argument) const override {
    return isDefault(call_.arguments[argument], call_.handle.schema().arguments()[argument]);
  }
  torch::jit::Stack arguments(int set) const override { return call_.set(set); }
  /// An operator that returns nothing hands back what the call writes.
  std::vector<at::Tensor> outputs(int set, std::vector<at::Tensor> returned) const override {
    if (!returned.empty()) {
      call_.appendUnreturned(call_.set(set), returned);
      return returned;
    }
    for (const int i : call_.effects.written)
      for (at::Tensor& tensor : tensorsIn(call_.set(set)[static_cast<std::size_t>(i)])) returned.push_back(std::move(tensor));
    return returned;
  }
  void reseed() override { call_.seedGenerator(); }

 private:
  AtenCall& call_;
};

class RegionSource : public Source {
 public:
  explicit RegionSource(const Workload& region) : region_(region), graph_(region.graph({})) {
    for (const int output : graph_.outputs) {
      const auto input = std::find(graph_.inputs.begin(), graph_.inputs.end(), output);
      written_.push_back(input == graph_.inputs.end() ? std::nullopt : std::optional(input - graph_.inputs.begin()));
    }
  }

  const std::string& op() const override { return region_.op(); }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const int input : graph_.inputs) names.push_back(graph_.values[static_cast<std::size_t>(input)].name);
    return names;
  }
  bool isOptional(std::size_t) const override { return false; }
  torch::jit::Stack arguments(int set) const override {
    const TensorList operands = region_.operands(set);
    torch::jit::Stack stack;
    for (const at::Tensor& tensor : operands.state().tensors) stack.emplace_back(tensor);
    return stack;
  }
  /// An operator may leave out the outputs that are inputs which the region writes.
  std::vector<at::Tensor> outputs(int set, std::vector<at::Tensor> returned) const override {
    const auto made = static_cast<std::size_t>(std::count(written_.begin(), written_.end(), std::nullopt));
    if (returned.size() != made || made == written_.size()) return returned;
    const TensorList operands = region_.operands(set);
    std::vector<at::Tensor> outputs;
    auto next = returned.begin();
    for (const auto& input : written_)
      outputs.push_back(input ? operands.state().tensors[static_cast<std::size_t>(*input)] : std::move(*next++));
    return outputs;
  }

 private:
  const Workload& region_;
  const ir::Graph graph_;
  std::vector<std::optional<std::ptrdiff_t>> written_;  ///< by output, the input that it is
};

std::unique_ptr<Source> sourceOf(Workload& workload) {
  if (Call* call = workload.call()) return std::make_unique<CallSource>(call->aten());
  return std::make_unique<RegionSource>(workload);
}

/// Where an operator's arguments come from: by place, the workload's argument; nothing where the operator's default stands.
std::vector<std::optional<std::size_t>> matched(const std::string& name, const c10::FunctionSchema& own, const Source& source) {
  const std::vector<std::string> given = source.names();
  std::vector<std::string> wanted;
  for (const c10::Argument& argument : own.arguments()) wanted.push_back(argument.name());
  const auto placeOf = [](const std::vector<std::string>& names, const std::string& name) -> std::optional<std::size_t> {
    const auto at = std::find(names.begin(), names.end(), name);
    return at == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - names.begin()));
  };
  std::vector<std::optional<std::size_t>> places;
  std::set<std::size_t> used;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::optional<std::size_t> place = placeOf(given, wanted[i]);
    const bool isNext = !place && i < given.size() && !placeOf(wanted, given[i]);
    if (isNext) place = i;
    if (!place && !own.arguments()[i].default_value())
      ir::fail(ir::ErrorKind::Unsupported, "{} needs an argument '{}', which {} does not have", name, wanted[i], source.op());
    if (place) used.insert(*place);
    places.push_back(place);
  }
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!used.contains(i) && !source.isOptional(i))
      ir::fail(ir::ErrorKind::Unsupported, "{} has no argument '{}', which the sample gives", name, given[i]);
  return places;
}

class RegisteredCallable : public Callable {
 public:
  RegisteredCallable(Workload& workload, std::string name)
      : source_(sourceOf(workload)),
        name_(std::move(name)),
        handle_(findRegistered(name_).value()),
        places_(matched(name_, handle_.schema(), *source_)) {
    isOwn = true;
    RegisteredCallable::use(0);
  }

  void use(int number) override {
    set_ = number;
    arguments_ = arguments(number);
  }
  void reseed() override { source_->reseed(); }

  TensorList operator()() override {
    const c10::InferenceMode guard;
    return translateErrors(name_, [this] {
      stack_ = arguments_;
      handle_.callBoxed(&stack_);
      std::vector<at::Tensor> outputs;
      for (const c10::IValue& value : stack_)
        for (at::Tensor& tensor : tensorsIn(value)) outputs.push_back(std::move(tensor));
      return makeTensorList(source_->outputs(set_, std::move(outputs)));
    });
  }

 private:
  /// A set of the workload's arguments as the operator takes them.
  torch::jit::Stack arguments(int set) const {
    const torch::jit::Stack given = source_->arguments(set);
    torch::jit::Stack stack;
    for (std::size_t i = 0; i < places_.size(); ++i)
      stack.push_back(places_[i] ? given[*places_[i]] : *handle_.schema().arguments()[i].default_value());
    try {
      handle_.schema().checkAndNormalizeInputs(stack, {});
    } catch (const c10::Error& error) {
      const std::string text = error.what_without_backtrace();
      ir::fail(ir::ErrorKind::Unsupported, "{} does not take the sample's arguments: {}", name_, text.substr(0, text.find('\n')));
    }
    return stack;
  }

  const std::unique_ptr<Source> source_;
  const std::string name_;
  const c10::OperatorHandle handle_;
  const std::vector<std::optional<std::size_t>> places_;
  int set_ = 0;
  torch::jit::Stack arguments_;  ///< of the set
  torch::jit::Stack stack_;      ///< keeps its memory between calls
};

}  // namespace

bool isRegistered(const std::string& name) { return findRegistered(name).has_value(); }

CallablePtr registeredCallable(Workload& workload, const std::string& name) {
  if (!isRegistered(name)) ir::fail(ir::ErrorKind::Input, "there is no operator {}", name);
  return translateErrors(name, [&] { return std::make_unique<RegisteredCallable>(workload, name); });
}

bool isNamespace(const std::string& name) {
  const std::vector<c10::OperatorName> names = c10::Dispatcher::singleton().getAllOpNames();
  return std::any_of(names.begin(), names.end(), [&](const c10::OperatorName& one) {
    return one.getNamespace() == name && c10::Dispatcher::singleton().findSchema(one);
  });
}

CallablePtr namesakeCallable(Call& call, const std::string& space) {
  const c10::OperatorName& aten = call.aten().handle.operator_name();
  const std::string name = space + toString(aten).substr(aten.name.find("::"));
  if (!isRegistered(name)) ir::fail(ir::ErrorKind::Unsupported, "{} has no operator {}", space, name);
  return registeredCallable(call, name);
}

}  // namespace runtime
