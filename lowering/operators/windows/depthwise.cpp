// Convolutions of each channel by kernels of its own, and their gradients. Those that mix channels are products, which libraries
// compute. So do these on a host, but for f64.
#include "ir/error.h"
#include "lowering/operators/windows/window.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

/// A convolution that makes `multiplier` channels of each channel.
struct Depthwise {
  Depthwise(const Context& c, const ir::Shape& input, const ir::Shape& weight, const ir::Shape& output) {
    const int64_t channels = input[1];
    if (c.flag("transposed")) ir::fail(ir::ErrorKind::Unsupported, "transposed convolutions are not lowered");
    if (channels == 1 || c.integer("groups") != channels)
      ir::fail(ir::ErrorKind::Unsupported, "convolutions that mix channels are not lowered");
    if (c.backend() == ir::Backend::Cpu && ir::opmath(c.typeOf("input").dtype) == ir::DType::F32)
      ir::fail(ir::ErrorKind::Unsupported, "oneDNN's convolutions of each channel are faster on a host");
    multiplier = weight[0] / channels;
    const std::size_t dims = input.size() - 2;
    const auto numbers = [&](const char* name) {
      std::vector<int64_t> all = c.integers(name);
      all.resize(dims, all.front());
      return all;
    };
    const std::vector<int64_t> stride = numbers("stride"), padding = numbers("padding"), dilation = numbers("dilation");
    for (std::size_t d = 0; d < dims; ++d)
      windows.push_back({weight[2 + d], stride[d], padding[d], dilation[d], input[2 + d], output[2 + d]});
    kernel.assign(weight.begin() + 2, weight.end());
  }

  /// The channel that an output's channel is made of.
  Value channelOf(Value output) const { return multiplier == 1 ? output : floorDiv(output, multiplier); }

  int64_t multiplier = 1;
  std::vector<Window> windows;
  ir::Shape kernel;
};

/// The element of a weight that belongs to a place in the kernel of an output's channel.
Value weightAt(const Tensor& weight, Value channel, const Index& place) {
  Index index{channel, channel.like(0)};
  index.insert(index.end(), place.begin(), place.end());
  return weight.at(index);
}

Tensors convolution(Context& c) {
  const Tensor input = inOpmath(c.tensor("input")), weight = inOpmath(c.tensor("weight"));
  const ir::TensorType& type = c.outputType();
  const Depthwise all(c, input.sizes, weight.sizes, type.sizes);
  std::optional<Tensor> bias = c.optionalTensor("bias");
  if (bias) bias = inOpmath(*bias);
  return asOutputs(c, {lazy(input.dtype, type.sizes, [=](const Index& index) {
                     Index ofInput = index;
                     ofInput[1] = all.channelOf(index[1]);
                     Value sum = bias ? bias->at({index[1]}) : Value{index[1].pool(), index[1].pool().integer(input.dtype, 0)};
                     int64_t number = 0;
                     for (const Element& element : elementsOf(all.windows, ofInput, &Window::elements)) {
                       const Value value = read(input, element, sum.like(0));
                       sum = sum + value * weightAt(weight, index[1], unflattened(index[1].like(number++), all.kernel));
                     }
                     return sum;
                   })});
}

/// An element gets from every output in whose window it is.
Tensor gradientOfInput(const Depthwise& all, const Tensor& grad, const Tensor& weight, const ir::Shape& sizes) {
  return lazy(grad.dtype, sizes, [=](const Index& index) {
    const Index place = trailing(index, all.windows.size());
    const Tensor shares{grad.dtype, grad.sizes, [=](const Index& output) {
                          const Index outputs = trailing(output, all.windows.size());
                          Index number;
                          for (std::size_t d = 0; d < outputs.size(); ++d)
                            number.push_back(simplified(all.windows[d].number(outputs[d], place[d])));
                          return grad.at(output) * weightAt(weight, output[1], number);
                        }};
    std::optional<Value> sum;
    for (int64_t m = 0; m < all.multiplier; ++m) {
      Index ofOutput = index;
      if (all.multiplier > 1) ofOutput[1] = index[1] * all.multiplier + m;
      const Value one = sumOf(shares, elementsOf(all.windows, ofOutput, &Window::outputs));
      sum = sum ? *sum + one : one;
    }
    return *sum;
  });
}

/// A place in a kernel gets from every output: [channel, place in the kernel .., image, output ..] are summed.
Tensor gradientOfWeight(Context& c, const Depthwise& all, const Tensor& grad, const Tensor& input) {
  const std::size_t dims = all.windows.size();
  ir::Shape sizes{grad.sizes[1]};
  sizes.insert(sizes.end(), all.kernel.begin(), all.kernel.end());
  sizes.push_back(grad.sizes[0]);
  sizes.insert(sizes.end(), grad.sizes.begin() + 2, grad.sizes.end());
  const Tensor products = lazy(grad.dtype, sizes, [=](const Index& index) {
    const Index kernel(index.begin() + 1, index.begin() + 1 + static_cast<std::ptrdiff_t>(dims)), outputs = trailing(index, dims);
    const Value image = index[1 + dims];
    std::vector<Places> places;
    for (std::size_t d = 0; d < dims; ++d) places.push_back({all.windows[d].element(outputs[d], kernel[d])});
    Index output{image, index[0]};
    output.insert(output.end(), outputs.begin(), outputs.end());
    const Element element = elementsAt({{image, all.channelOf(index[0])}}, places).front();
    const Value gradient = grad.at(output);
    return gradient * read(input, element, gradient.like(0));
  });
  Dims summed;
  for (std::size_t d = 1 + dims; d < sizes.size(); ++d) summed.push_back(static_cast<int64_t>(d));
  return unsqueezed(squeeze(c, sum(c, products, summed), summed), 1);
}

Tensors convolutionBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad_output")), input = inOpmath(c.tensor("input"));
  const Tensor weight = inOpmath(c.tensor("weight"));
  const Depthwise all(c, input.sizes, weight.sizes, grad.sizes);
  const std::vector<bool> isWanted = c.flags("output_mask");
  Tensors gradients;
  if (isWanted[0]) gradients.push_back(gradientOfInput(all, grad, weight, input.sizes));
  if (isWanted[1]) gradients.push_back(gradientOfWeight(c, all, grad, input));
  if (isWanted[2]) gradients.push_back(squeeze(c, sum(c, grad, allBut(1, grad)), allBut(1, grad)));
  return asOutputs(c, std::move(gradients));
}

const Lowering convolutionOf{"aten::convolution", convolution};
const Lowering convolutionBackwardOf{"aten::convolution_backward", convolutionBackward};

}  // namespace
}  // namespace lowering
