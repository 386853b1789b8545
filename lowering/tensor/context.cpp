#include "lowering/tensor/context.h"

#include <algorithm>
#include <numeric>

#include "ir/error.h"

namespace lowering {

const ir::Argument& Context::argument(const std::string& name) const {
  const ir::Argument* found = node_.find(name);
  ir::require(found != nullptr, "{} has no argument {}", node_.op, name);
  return *found;
}

const ir::Argument& Context::argument(int position) const {
  ir::require(position < argumentCount(), "{} has no argument {}", node_.op, position);
  return node_.args[position].value;
}

int Context::valueOf(const ir::Argument& argument) const {
  const auto* value = argument.as<ir::ValueRef>();
  ir::require(value != nullptr, "an argument of {} is no tensor", node_.op);
  return value->index;
}

Tensor Context::tensorOf(const ir::Argument& argument) const { return values_.at(valueOf(argument)); }

Tensor Context::stored(const Tensor& tensor) const {
  const auto number = static_cast<int>(stored_.first + stored_.tensors.size());
  stored_.tensors.push_back(tensor);
  const ir::TensorType type = ir::TensorType::contiguous(tensor.dtype, tensor.sizes);
  return {type.dtype, type.sizes, [&pool = pool_, type, number](const Index& index) {
            return Value{pool, pool.load(number, type.dtype, offsetOf(pool, type, index).expr())};
          }};
}

const ir::TensorType& Context::typeOf(const std::string& name) const { return graph_.values.at(valueOf(argument(name))).type; }

std::optional<Tensor> Context::optionalTensor(const std::string& name) const {
  if (isNone(name)) return std::nullopt;
  return tensor(name);
}

Tensors Context::tensors(const std::string& name) const {
  Tensors all;
  for (const std::optional<Tensor>& tensor : optionalTensors(name)) {
    ir::require(tensor.has_value(), "an item of {} of {} is no tensor", name, node_.op);
    all.push_back(*tensor);
  }
  return all;
}

std::vector<std::optional<Tensor>> Context::optionalTensors(const std::string& name) const {
  const auto* list = argument(name).as<ir::List>();
  ir::require(list != nullptr, "argument {} of {} is no list", name, node_.op);
  std::vector<std::optional<Tensor>> all;
  for (const ir::Argument& item : list->items) all.push_back(item.is<ir::None>() ? std::nullopt : std::optional(tensorOf(item)));
  return all;
}

double Context::numberOf(const ir::Argument& value, const std::string& name) const {
  if (const auto* boolean = value.as<bool>()) return *boolean ? 1 : 0;
  if (const auto* integer = value.as<int64_t>()) return static_cast<double>(*integer);
  const auto* real = value.as<double>();
  ir::require(real != nullptr, "argument {} of {} is no real number", name, node_.op);
  return *real;
}

double Context::number(const std::string& name) const { return numberOf(argument(name), name); }

std::optional<std::vector<double>> Context::numbers(const std::string& name) const {
  if (isNone(name)) return std::nullopt;
  const auto* list = argument(name).as<ir::List>();
  if (list == nullptr) return std::vector{number(name)};
  std::vector<double> values;
  for (const ir::Argument& item : list->items) values.push_back(numberOf(item, name));
  return values;
}

int64_t Context::integer(const std::string& name) const {
  const auto* value = argument(name).as<int64_t>();
  ir::require(value != nullptr, "argument {} of {} is no integer", name, node_.op);
  return *value;
}

Value Context::constant(const std::string& name, ir::DType dtype) const {
  const auto* whole = argument(name).as<int64_t>();
  return {pool_, whole != nullptr ? pool_.integer(dtype, *whole) : pool_.constant(dtype, number(name))};
}

std::vector<int64_t> Context::integers(const std::string& name) const {
  const auto* list = argument(name).as<ir::List>();
  ir::require(list != nullptr, "argument {} of {} is no list", name, node_.op);
  std::vector<int64_t> values;
  for (const ir::Argument& item : list->items) {
    const auto* value = item.as<int64_t>();
    ir::require(value != nullptr, "argument {} of {} is no list of integers", name, node_.op);
    values.push_back(*value);
  }
  return values;
}

int64_t Context::dim(const std::string& name, std::size_t rank) const {
  const int64_t dim = integer(name);
  return dim < 0 ? dim + std::max<int64_t>(1, static_cast<int64_t>(rank)) : dim;
}

bool Context::flag(const std::string& name) const {
  const auto* value = argument(name).as<bool>();
  ir::require(value != nullptr, "argument {} of {} is no bool", name, node_.op);
  return *value;
}

std::string Context::text(const std::string& name) const {
  const auto* value = argument(name).as<std::string>();
  ir::require(value != nullptr, "argument {} of {} is no text", name, node_.op);
  return *value;
}

std::vector<bool> Context::flags(const std::string& name) const {
  const auto* list = argument(name).as<ir::List>();
  ir::require(list != nullptr, "argument {} of {} is no list", name, node_.op);
  std::vector<bool> values;
  for (const ir::Argument& item : list->items) {
    const auto* value = item.as<bool>();
    ir::require(value != nullptr, "argument {} of {} is no list of bools", name, node_.op);
    values.push_back(*value);
  }
  return values;
}

Dims Context::dims(const std::string& name, std::size_t rank) const {
  std::vector<ir::Argument> items;
  if (has(name)) {
    const auto* list = argument(name).as<ir::List>();
    if (list != nullptr) items = list->items;
    if (list == nullptr && !isNone(name)) items = {argument(name)};
  }
  Dims dims;
  for (const ir::Argument& item : items) {
    const auto* dim = item.as<int64_t>();
    ir::require(dim != nullptr, "argument {} of {} is no list of dimensions", name, node_.op);
    if (rank > 0) dims.push_back(*dim < 0 ? *dim + static_cast<int64_t>(rank) : *dim);
  }
  if (items.empty()) {
    dims.resize(rank);
    std::iota(dims.begin(), dims.end(), 0);
  }
  std::sort(dims.begin(), dims.end());
  return dims;
}

Tensor Context::generator() const {
  ir::require(graph_.generator.has_value(), "{} draws random numbers, and its graph has no generator", node_.op);
  const Tensor shared = values_.at(static_cast<std::size_t>(*graph_.generator));
  const int64_t call = &node_ - graph_.nodes.data();
  if (call == 0) return shared;
  return lazy(shared.dtype, shared.sizes, [shared, call](const Index& index) {
    constexpr uint64_t golden = 0x9e3779b97f4a7c15;  // neighbours differ in many bits
    const Value one = shared.at(index);
    return where(index.front() == 0, one ^ static_cast<int64_t>(static_cast<uint64_t>(call) * golden), one);
  });
}

const ir::TensorType& Context::outputType(int i) const {
  ir::require(i < outputCount(), "{} has no output {}", node_.op, i);
  return graph_.values.at(node_.outputs[i]).type;
}

}  // namespace lowering
