#include "opbench/repro/driver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>

#include "inputs/print.h"

namespace opbench {
namespace {

/// The beginning of every script; `{}` are the lines before it.
constexpr std::string_view beginning = R"({}
import pathlib, torch
from math import inf, nan

def T(name, dtype, size, stride, elements):
    """A tensor whose storage repeats what the file holds."""
    data = bytearray((pathlib.Path(__file__).parent / "inputs" / name).read_bytes())
    drawn = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
    repeated = drawn.repeat(-(-elements // max(len(drawn), 1)))[:elements]
    return repeated.to("{}").as_strided(size, stride)

)";

std::string tuple(const std::vector<std::string>& items) {
  return fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
}

std::string tuple(const ir::Shape& values) {
  std::vector<std::string> items;
  for (int64_t value : values) items.push_back(std::to_string(value));
  return tuple(items);
}

/// Arguments as Python has them; tensors are taken one after another.
class Python {
 public:
  explicit Python(std::string device) : device_(std::move(device)) {}

  std::string text(const ir::Argument& argument) {
    return std::visit([this](const auto& value) { return spell(value); }, argument.data);
  }

 private:
  template <typename Value>
  std::string spell(const Value& value) {
    return inputs::argumentText(ir::Argument(value));
  }
  std::string spell(const ir::DType& dtype) { return fmt::format("torch.{}", ir::torchName(dtype)); }
  std::string spell(const ir::DeviceName&) { return fmt::format("torch.device(\"{}\")", device_); }
  std::string spell(const ir::TensorType& type) {
    return fmt::format("T(\"{}.bin\", torch.{}, {}, {}, {})", tensor_++, ir::torchName(type.dtype), tuple(type.sizes),
                       tuple(type.strides), type.storageElements());
  }
  std::string spell(const ir::List& list) {
    std::vector<std::string> items;
    for (const ir::Argument& item : list.items) items.push_back(text(item));
    return list.isTuple ? tuple(items) : fmt::format("[{}]", fmt::join(items, ", "));
  }

  std::string device_;
  int tensor_ = 0;
};

}  // namespace

std::string driverText(const inputs::Sample& sample, const std::string& device, const std::string& about) {
  Python python(device);
  std::vector<std::string> arguments;
  for (const ir::Argument& argument : sample.args) arguments.push_back(python.text(argument));
  for (const ir::NamedArgument& named : sample.kwargs) arguments.push_back(named.name + "=" + python.text(named.value));
  return fmt::format(fmt::runtime(beginning), about, device) +
         fmt::format("print(torch.__version__)\nprint(torch.ops.{}({}))\n", sample.op, fmt::join(arguments, ", "));
}

}  // namespace opbench
