#include "lowering/operators/windows/window.h"

#include "ir/error.h"
#include "ir/index/ceil_div.h"

namespace lowering {
namespace {

constexpr int64_t mostStraight = 256;

/// Conditions on a place that are not always true.
std::optional<Value> allOf(const std::vector<std::optional<Value>>& conditions) {
  std::optional<Value> all;
  for (const std::optional<Value>& one : conditions)
    if (one) all = all ? *all & *one : *one;
  return all;
}

}  // namespace

int64_t Window::mostOutputs() const { return ceilDiv(span(), stride); }

Places Window::elements(Value index) const {
  Places places;
  for (int64_t i = 0; i < kernel; ++i) {
    const int64_t lowest = i * dilation - padding, highest = (output - 1) * stride + lowest;
    const Value at = index * stride + lowest;
    places.push_back({at, allOf({lowest < 0 ? std::optional(at >= 0) : std::nullopt,
                                 highest >= input ? std::optional(at < input) : std::nullopt})});
  }
  return places;
}

Places Window::outputs(Value element) const {
  const Value place = element + padding;
  const Value last = stride == 1 ? place : floorDiv(place, stride);
  Places places;
  for (int64_t i = 0; i < mostOutputs(); ++i) {
    const Value at = last - i, inside = place - at * stride;
    const bool isFirst = padding / stride - i >= 0, isLast = (input - 1 + padding) / stride - i < output;
    // The place inside the window is i * stride at least, and less than (i + 1) * stride.
    const bool isInside = (i + 1) * stride <= span();
    places.push_back(
        {at, allOf({isFirst ? std::nullopt : std::optional(at >= 0), isLast ? std::nullopt : std::optional(at < output),
                    isInside ? std::nullopt : std::optional(inside < span()),
                    dilation == 1 ? std::nullopt : std::optional(mod(inside, dilation) == 0)})});
  }
  return places;
}

Place Window::element(Value output, Value i) const {
  const Value at = output * stride + i * dilation - padding;
  const bool isInside = padding == 0 && (this->output - 1) * stride + (kernel - 1) * dilation < input;
  return {at, isInside ? std::nullopt : std::optional((at >= 0) & (at < input))};
}

Value Window::number(Value output, Value element) const {
  const Value inside = element + padding - output * stride;
  return dilation == 1 ? inside : floorDiv(inside, dilation);
}

std::vector<Window> windowsOf(const Context& c, const ir::Shape& input, const ir::Shape& output, std::size_t dims) {
  const auto numbers = [&](const char* name, const std::vector<int64_t>& other) {
    std::vector<int64_t> all = c.has(name) ? c.integers(name) : other;
    if (all.empty()) all = other;
    all.resize(dims, all.front());
    return all;
  };
  const std::vector<int64_t> kernel = numbers("kernel_size", {}), stride = numbers("stride", kernel);
  const std::vector<int64_t> padding = numbers("padding", {0}), dilation = numbers("dilation", {1});
  std::vector<Window> windows;
  for (std::size_t d = 0; d < dims; ++d)
    windows.push_back(
        {kernel[d], stride[d], padding[d], dilation[d], input[input.size() - dims + d], output[output.size() - dims + d]});
  return windows;
}

void requireFew(int64_t elements) {
  if (elements > mostStraight) ir::fail(ir::ErrorKind::Unsupported, "windows of {} elements are no straight-line code", elements);
}

}  // namespace lowering
