#include "runtime/contenders/library/arguments.h"

#include "ir/error.h"
#include "runtime/torch/schema.h"

namespace runtime::library {

std::optional<size_t> Arguments::find(std::string_view name) const {
  const std::vector<c10::Argument>& formals = op_.schema().arguments();
  for (size_t i = 0; i < formals.size(); ++i)
    if (formals[i].name() == name) return i;
  return std::nullopt;
}

size_t Arguments::position(std::string_view name) const {
  const std::optional<size_t> found = find(name);
  ir::require(found.has_value(), "{} has no argument '{}'", op_.schema().name(), name);
  return *found;
}

bool Arguments::has(std::string_view name) const { return find(name).has_value(); }

bool Arguments::isCuda() const {
  for (const c10::IValue& value : stack_)
    for (const at::Tensor& tensor : tensorsIn(value))
      if (tensor.is_cuda()) return true;
  return false;
}

const c10::IValue& Arguments::value(std::string_view name) const { return stack_[position(name)]; }

at::Tensor Arguments::tensor(std::string_view name) const {
  const c10::IValue& found = value(name);
  return found.isNone() ? at::Tensor() : found.toTensor();
}

std::vector<int64_t> Arguments::integers(std::string_view name) const { return value(name).toIntVector(); }

std::vector<bool> Arguments::flags(std::string_view name) const {
  const c10::List<bool> list = value(name).toBoolList();
  return {list.begin(), list.end()};
}

bool Arguments::flag(std::string_view name) const { return value(name).toBool(); }

double Arguments::number(std::string_view name) const { return value(name).toScalar().toDouble(); }

std::optional<double> Arguments::optionalNumber(std::string_view name) const {
  return value(name).isNone() ? std::nullopt : std::optional(number(name));
}

Arguments Arguments::with(std::string_view name, c10::IValue value) const {
  Arguments changed = *this;
  changed.stack_[position(name)] = std::move(value);
  return changed;
}

Results Arguments::call() const {
  torch::jit::Stack stack = stack_;
  op_.callBoxed(&stack);
  Results results;
  for (const c10::IValue& value : stack)
    for (at::Tensor& tensor : tensorsIn(value)) results.push_back(std::move(tensor));
  return results;
}

}  // namespace runtime::library
