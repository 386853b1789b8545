#include "inputs/convert.h"

#include <algorithm>

#include "inputs/operator_name.h"
#include "inputs/region.h"

namespace inputs {
namespace {

ir::DType converted(ir::DType dtype, ir::DType target) {
  if (target == ir::DType::F16) return dtype;
  if (target == ir::DType::BF16) return dtype == ir::DType::F16 ? target : dtype;
  if (ir::isComplex(dtype)) return target == ir::DType::F32 ? ir::DType::C64 : ir::DType::C128;
  return ir::isFloating(dtype) ? target : dtype;
}

void checkTarget(ir::DType target) {
  bool known = target == ir::DType::F16 || target == ir::DType::BF16 || target == ir::DType::F32 || target == ir::DType::F64;
  if (!known)
    ir::fail(ir::ErrorKind::Input, "the dtype must be float16, bfloat16, float32 or float64, got {}", ir::torchName(target));
}

/// Strides of an NCHW tensor whose channels lie side by side.
ir::Strides channelsLastStrides(const ir::Shape& sizes) {
  ir::Strides nhwc = ir::contiguousStrides({sizes[0], sizes[2], sizes[3], sizes[1]});
  return {nhwc[0], nhwc[3], nhwc[1], nhwc[2]};
}

void convertArgument(ir::Argument& argument, ir::DType target, bool channelsLast) {
  if (auto* dtype = std::get_if<ir::DType>(&argument.data)) *dtype = converted(*dtype, target);
  if (auto* list = std::get_if<ir::List>(&argument.data))
    for (ir::Argument& item : list->items) convertArgument(item, target, channelsLast);
  if (auto* type = std::get_if<ir::TensorType>(&argument.data)) {
    type->dtype = converted(type->dtype, target);
    if (channelsLast && type->rank() == 4 && !argument.hasElements()) type->strides = channelsLastStrides(type->sizes);
  }
}

/// `half_to_float` exists for f16 alone: of any other input the same call is a plain softmax.
void dropHalfToFloat(Sample& sample) {
  bool isSoftmax = sample.op == "aten._softmax.default" || sample.op == "aten._log_softmax.default";
  const ir::TensorType* input = isSoftmax && sample.args.size() == 3 ? sample.args[0].as<ir::TensorType>() : nullptr;
  if (input && input->dtype != ir::DType::F16) sample.args[2] = false;
}

/// The dtype that a sample of a model says itself.
std::optional<ir::DType> dtypeNamed(const Sample& sample) {
  for (const ir::NamedArgument& named : sample.kwargs)
    if (const auto* text = named.value.as<std::string>(); text != nullptr && named.name == "dtype")
      return ir::dtypeFromTorchName(*text);
  return std::nullopt;
}

void setKeyword(Sample& sample, const std::string& name, const std::string& value) {
  for (ir::NamedArgument& named : sample.kwargs)
    if (named.name == name) {
      named.value = ir::Argument(value);
      return;
    }
  sample.kwargs.push_back({name, ir::Argument(value)});
}

}  // namespace

Sample convert(const Sample& sample, ir::DType target, bool channelsLast) {
  checkTarget(target);
  Sample result = sample;
  if (isRegion(sample.op)) return convertRegion(sample, converted, target);
  if (isNetwork(sample.op)) {
    target = dtypeNamed(sample).value_or(target);
    for (ir::Argument& argument : result.args)
      if (auto* type = std::get_if<ir::TensorType>(&argument.data); type != nullptr && ir::isFloating(type->dtype))
        type->dtype = target;
    if (kindOf(sample.op) == SampleKind::Model && target != ir::DType::F32)
      setKeyword(result, "dtype", std::string(ir::torchName(target)));
    return result;
  }
  for (ir::Argument& argument : result.args) convertArgument(argument, target, channelsLast);
  for (ir::NamedArgument& named : result.kwargs) convertArgument(named.value, target, channelsLast);
  dropHalfToFloat(result);
  return result;
}

}  // namespace inputs
