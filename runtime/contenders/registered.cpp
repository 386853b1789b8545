#include "runtime/contenders/registered.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "runtime/torch/aten_call.h"
#include "runtime/torch/state.h"
#include "runtime/torch/translate.h"
#include "runtime/workloads/call.h"

namespace runtime {
namespace {

std::optional<c10::OperatorHandle> find(const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string overload = dot == std::string::npos ? "" : name.substr(dot + 1);
  return c10::Dispatcher::singleton().findSchema({name.substr(0, dot), overload});
}

bool isDefault(const c10::IValue& value, const c10::Argument& formal) {
  if (value.isNone()) return true;
  if (!formal.default_value() || value.isTensor()) return false;
  return c10::IValue(value).equals(*formal.default_value()).toBool();
}

/// Where an operator's arguments come from: by place, the call's argument; nothing where the operator's default stands.
std::vector<std::optional<std::size_t>> matched(const std::string& name, const c10::FunctionSchema& own, const AtenCall& call) {
  const std::vector<c10::Argument>& formals = call.handle.schema().arguments();
  const auto placeOf = [](const std::vector<c10::Argument>& arguments,
                          const std::string& argument) -> std::optional<std::size_t> {
    const auto at =
        std::find_if(arguments.begin(), arguments.end(), [&](const c10::Argument& a) { return a.name() == argument; });
    return at == arguments.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - arguments.begin()));
  };
  std::vector<std::optional<std::size_t>> places;
  std::set<std::size_t> used;
  for (std::size_t i = 0; i < own.arguments().size(); ++i) {
    std::optional<std::size_t> place = placeOf(formals, own.arguments()[i].name());
    const bool isNext = !place && i < formals.size() && !placeOf(own.arguments(), formals[i].name());
    if (isNext) place = i;
    if (!place && !own.arguments()[i].default_value())
      ir::fail(ir::ErrorKind::Unsupported, "{} needs an argument '{}', which {} does not have", name, own.arguments()[i].name(),
               call.op);
    if (place) used.insert(*place);
    places.push_back(place);
  }
  for (std::size_t i = 0; i < formals.size(); ++i)
    if (!used.contains(i) && !isDefault(call.arguments[i], formals[i]))
      ir::fail(ir::ErrorKind::Unsupported, "{} has no argument '{}', which the sample gives", name, formals[i].name());
  return places;
}

class RegisteredCallable : public Callable {
 public:
  RegisteredCallable(AtenCall& call, std::string name)
      : call_(call), name_(std::move(name)), handle_(find(name_).value()), places_(matched(name_, handle_.schema(), call)) {
    isOwn = true;
    RegisteredCallable::use(0);
  }

  void use(int number) override {
    set_ = number;
    arguments_ = arguments(number);
  }
  void reseed() override { call_.seedGenerator(); }

  TensorList operator()() override {
    const c10::InferenceMode guard;
    return translateErrors(name_, [this] {
      stack_ = arguments_;
      handle_.callBoxed(&stack_);
      std::vector<at::Tensor> outputs;
      for (const c10::IValue& value : stack_)
        for (at::Tensor& tensor : tensorsIn(value)) outputs.push_back(std::move(tensor));
      if (!stack_.empty()) {
        call_.appendUnreturned(call_.set(set_), outputs);
        return makeTensorList(std::move(outputs));
      }
      for (const int i : call_.effects.written)
        for (at::Tensor& tensor : tensorsIn(call_.set(set_)[static_cast<std::size_t>(i)])) outputs.push_back(std::move(tensor));
      return makeTensorList(std::move(outputs));
    });
  }

 private:
  /// A set of the call's arguments as the operator takes them.
  torch::jit::Stack arguments(int set) const {
    const torch::jit::Stack& given = call_.set(set);
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

  AtenCall& call_;
  const std::string name_;
  const c10::OperatorHandle handle_;
  const std::vector<std::optional<std::size_t>> places_;
  int set_ = 0;
  torch::jit::Stack arguments_;  ///< of the set
  torch::jit::Stack stack_;      ///< keeps its memory between calls
};

}  // namespace

bool isRegistered(const std::string& name) { return find(name).has_value(); }

CallablePtr registeredCallable(Call& call, const std::string& name) {
  if (!isRegistered(name)) ir::fail(ir::ErrorKind::Input, "there is no operator {}", name);
  return translateErrors(name, [&] { return std::make_unique<RegisteredCallable>(call.aten(), name); });
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
