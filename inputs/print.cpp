#include "inputs/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "inputs/sample.h"

namespace inputs {
namespace {

std::string tupleText(const std::string& items, size_t count) { return fmt::format("({}{})", items, count == 1 ? "," : ""); }

template <typename Items, typename Text>
std::string joined(const Items& items, Text text) {
  std::string all;
  for (const auto& item : items) all += (all.empty() ? "" : ", ") + text(item);
  return all;
}

std::string floatText(double value) {
  if (std::isnan(value)) return "nan";
  std::string text = fmt::format("{}", value);
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

std::string quotedText(const std::string& value) {
  std::string text = "'";
  for (char c : value) {
    if (c == '\\' || c == '\'') {
      text += {'\\', c};
    } else if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      text += fmt::format("\\x{:02x}", c);
    } else {
      text += c;
    }
  }
  return text + "'";
}

std::string complexText(std::complex<double> value) {
  std::string imaginary = floatText(value.imag());
  return fmt::format("({}{}{}j)", floatText(value.real()), imaginary[0] == '-' ? "" : "+", imaginary);
}

std::string elementsText(const ir::Argument::Elements& elements) {
  if (const auto* integers = std::get_if<std::vector<int64_t>>(&elements)) return fmt::format("{}", fmt::join(*integers, ", "));
  return joined(std::get<std::vector<double>>(elements), floatText);
}

std::string tensorText(const ir::TensorType& type, const ir::Argument& argument) {
  std::string text = fmt::format("T([{}], {}", fmt::join(type.sizes, ", "), ir::name(type.dtype));
  if (type.strides != ir::contiguousStrides(type.sizes))
    text += ", stride=" + tupleText(fmt::format("{}", fmt::join(type.strides, ", ")), type.strides.size());
  if (argument.hasElements()) text += fmt::format(", values=[{}]", elementsText(argument.elements));
  return text + ")";
}

struct Printer {
  const ir::Argument& argument;

  std::string operator()(const ir::None&) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return floatText(value); }
  std::string operator()(std::complex<double> value) const { return complexText(value); }
  std::string operator()(const std::string& value) const { return quotedText(value); }
  std::string operator()(ir::DType dtype) const { return std::string(ir::name(dtype)); }
  std::string operator()(const ir::DeviceName& device) const { return quotedText(device.text); }
  std::string operator()(const ir::Symbol& symbol) const { return "torch." + symbol.text; }
  std::string operator()(const ir::TensorType& type) const { return tensorText(type, argument); }
  std::string operator()(const ir::ValueRef& value) const { return fmt::format("%{}", value.index); }
  std::string operator()(const ir::SparseTensor& tensor) const { return tensor.text; }
  std::string operator()(const ir::List& list) const {
    std::string items = joined(list.items, argumentText);
    return list.isTuple ? tupleText(items, list.items.size()) : "[" + items + "]";
  }
};

}  // namespace

std::string argumentText(const ir::Argument& argument) { return std::visit(Printer{argument}, argument.data); }

std::string commentText(std::string_view text) {
  std::string lines = "# ";
  for (char c : text) {
    const bool isControl = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    if (c == '\n')
      lines += "\n# ";
    else
      lines += isControl ? '?' : c;
  }
  return lines;
}

std::string toText(const Sample& sample) {
  std::string kwargs = joined(sample.kwargs, [](const ir::NamedArgument& named) {
    return fmt::format("{}: {}", quotedText(named.name), argumentText(named.value));
  });
  return fmt::format("({}, {{{}}})", tupleText(joined(sample.args, argumentText), sample.args.size()), kwargs);
}

std::string toText(const std::vector<Sample>& samples) {
  std::string text;
  const std::string* op = nullptr;
  for (const Sample& sample : samples) {
    if (op == nullptr || *op != sample.op) text += fmt::format("Operator: {}\n", sample.op);
    text += fmt::format("cnt: {}, {}\n", sample.count, toText(sample));
    op = &sample.op;
  }
  return text;
}

}  // namespace inputs
