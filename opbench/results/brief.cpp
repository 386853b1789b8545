#include "opbench/results/brief.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>

#include "inputs/operator_name.h"

namespace opbench {
namespace {

std::string text(const ir::Argument& argument);

std::string text(const ir::TensorType& type) {
  std::string result = fmt::format("{}[{}]", ir::name(type.dtype), fmt::join(type.sizes, ","));
  if (!type.isContiguous()) result += fmt::format("({})", fmt::join(type.strides, ","));
  return result;
}

std::string text(const ir::List& list) {
  std::string items;
  for (const ir::Argument& item : list.items) items += (items.empty() ? "" : ",") + text(item);
  return fmt::format("[{}]", items);
}

std::string text(const ir::Argument& argument) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, ir::TensorType> || std::is_same_v<T, ir::List>)
          return text(value);
        else if constexpr (std::is_same_v<T, ir::None>)
          return "None";
        else if constexpr (std::is_same_v<T, bool>)
          return value ? "True" : "False";
        else if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, double>)
          return fmt::format("{}", value);
        else if constexpr (std::is_same_v<T, std::complex<double>>)
          return fmt::format("{}+{}j", value.real(), value.imag());
        else if constexpr (std::is_same_v<T, std::string>)
          return fmt::format("'{}'", value);
        else if constexpr (std::is_same_v<T, ir::DType>)
          return std::string(ir::name(value));
        else if constexpr (std::is_same_v<T, ir::ValueRef>)
          return fmt::format("%{}", value.index);
        else
          return value.text;
      },
      argument.data);
}

}  // namespace

std::string brief(const inputs::Sample& sample) {
  std::string result;
  const auto append = [&](const std::string& part) { result += (result.empty() ? "" : ", ") + part; };
  for (const ir::Argument& argument : sample.args) append(text(argument));
  if (inputs::isRegion(sample.op)) return result;
  for (const ir::NamedArgument& argument : sample.kwargs) append(argument.name + "=" + text(argument.value));
  return result;
}

}  // namespace opbench
