#include "runtime/flops/call_flops.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>

#include <algorithm>

#include "ir/dtype.h"

namespace runtime {
namespace {

using Arguments = c10::ArrayRef<const c10::IValue>;

/// What decides whether f32 is multiplied as TF32.
enum class Library { Blas, Convolution, Recurrent };

/// An operator that multiplies: the argument whose dtype the factors have, and how many operations there are.
struct Multiplying {
  std::string_view op;
  Library library;
  size_t factor;
  int64_t (*flops)(Arguments);
};

/// a [.., m, k] times b [.., k, n], or times a vector b [k].
int64_t product(const at::Tensor& a, const at::Tensor& b) { return 2 * a.numel() * (b.dim() > 1 ? b.size(-1) : 1); }

/// The product of two arguments, the first of which is this one.
template <size_t first>
int64_t productAt(Arguments arguments) {
  return product(arguments[first].toTensor(), arguments[first + 1].toTensor());
}

int64_t extents(const at::Tensor& images) {
  int64_t number = 1;
  for (int64_t i = 2; i < images.dim(); ++i) number *= images.size(i);
  return number;
}

/// Extents of a convolution's output, [batch, channels, ..]; lists of one number hold for all dimensions.
int64_t outputExtents(const at::Tensor& input, const at::Tensor& weight, Arguments lists) {
  const auto at = [&](size_t list, int64_t dimension) {
    const std::vector<int64_t> numbers = lists[list].toIntVector();
    return numbers.at(std::min(static_cast<size_t>(dimension), numbers.size() - 1));
  };
  int64_t number = 1;
  for (int64_t i = 0; i + 2 < input.dim(); ++i) {
    const int64_t reach = at(2, i) * (weight.size(i + 2) - 1) + 1;
    number *= (input.size(i + 2) + 2 * at(1, i) - reach) / at(0, i) + 1;
  }
  return number;
}

/// Each element of a kernel [out, in / groups, ..] (of a transposed convolution [in, out / groups, ..]) meets each place of the
/// output (of the input) of each image once.
int64_t convolved(const at::Tensor& input, const at::Tensor& weight, int64_t places) {
  return 2 * input.size(0) * places * weight.numel();
}

/// input, weight, bias, stride, padding, dilation, transposed, ..
int64_t convolution(Arguments arguments) {
  const at::Tensor &input = arguments[0].toTensor(), &weight = arguments[1].toTensor();
  const bool isTransposed = arguments[6].toBool();
  return convolved(input, weight, isTransposed ? extents(input) : outputExtents(input, weight, arguments.slice(3, 3)));
}

/// gradient, input, weight, sizes of the bias, stride, padding, dilation, transposed, output padding, groups, which gradients.
int64_t convolutionBackward(Arguments arguments) {
  const at::Tensor &gradient = arguments[0].toTensor(), &input = arguments[1].toTensor(), &weight = arguments[2].toTensor();
  const auto asked = arguments[10].toBoolList();
  const int64_t once = convolved(input, weight, extents(arguments[7].toBool() ? input : gradient));
  return (asked.get(0) ? once : 0) + (asked.get(1) ? once : 0);
}

/// Query [batch, heads, m, k], key [batch, heads, n, k] and value [batch, heads, n, v]: so many products of m n k and of m n v.
int64_t attended(Arguments arguments, int64_t ofKeys, int64_t ofValues) {
  const at::Tensor &query = arguments[0].toTensor(), &key = arguments[1].toTensor(), &value = arguments[2].toTensor();
  const int64_t rows = query.numel() / std::max<int64_t>(query.size(-1), 1);
  return 2 * rows * key.size(-2) * (ofKeys * query.size(-1) + ofValues * value.size(-1));
}
int64_t attention(Arguments arguments) { return attended(arguments, 1, 1); }
int64_t attentionBackward(Arguments arguments) { return attended(arguments.slice(1), 3, 2); }

/// Input [.., size], its rows taken by each weight that is a matrix.
int64_t recurrent(const at::Tensor& input, c10::ArrayRef<at::Tensor> weights) {
  int64_t numbers = 0;
  for (const at::Tensor& weight : weights)
    if (weight.dim() == 2) numbers += weight.numel();
  return 2 * input.numel() / std::max<int64_t>(input.size(-1), 1) * numbers;
}
int64_t cudnnRnn(Arguments arguments) { return recurrent(arguments[0].toTensor(), arguments[1].toTensorVector()); }
int64_t cudnnRnnBackward(Arguments arguments) {
  constexpr size_t whichGradients = 21;
  const bool asksWeights = arguments[whichGradients].toBoolList().get(3);
  return (asksWeights ? 2 : 1) * cudnnRnn(arguments);
}
int64_t onednnRnn(Arguments arguments) {
  return recurrent(arguments[0].toTensor(), {arguments[1].toTensor(), arguments[2].toTensor()});
}
int64_t onednnRnnBackward(Arguments arguments) { return 2 * onednnRnn(arguments); }

constexpr Multiplying multiplying[] = {
    {"aten::mm", Library::Blas, 0, productAt<0>},
    {"aten::bmm", Library::Blas, 0, productAt<0>},
    {"aten::mv", Library::Blas, 0, productAt<0>},
    {"aten::dot", Library::Blas, 0, productAt<0>},
    {"aten::addmm", Library::Blas, 1, productAt<1>},
    {"aten::addmm_", Library::Blas, 1, productAt<1>},
    {"aten::_addmm_activation", Library::Blas, 1, productAt<1>},
    {"aten::addmv", Library::Blas, 1, productAt<1>},
    {"aten::addmv_", Library::Blas, 1, productAt<1>},
    {"aten::baddbmm", Library::Blas, 1, productAt<1>},
    {"aten::baddbmm_", Library::Blas, 1, productAt<1>},
    {"aten::convolution", Library::Convolution, 1, convolution},
    {"aten::convolution_backward", Library::Convolution, 2, convolutionBackward},
    {"aten::_scaled_dot_product_flash_attention", Library::Blas, 0, attention},
    {"aten::_scaled_dot_product_flash_attention_backward", Library::Blas, 1, attentionBackward},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", Library::Blas, 0, attention},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", Library::Blas, 1, attentionBackward},
    {"aten::_scaled_dot_product_efficient_attention", Library::Blas, 0, attention},
    {"aten::_scaled_dot_product_efficient_attention_backward", Library::Blas, 1, attentionBackward},
    {"aten::_scaled_dot_product_cudnn_attention", Library::Blas, 0, attention},
    {"aten::_scaled_dot_product_cudnn_attention_backward", Library::Blas, 1, attentionBackward},
    {"aten::_scaled_dot_product_fused_attention_overrideable", Library::Blas, 0, attention},
    {"aten::_scaled_dot_product_fused_attention_overrideable_backward", Library::Blas, 1, attentionBackward},
    {"aten::_cudnn_rnn", Library::Recurrent, 0, cudnnRnn},
    {"aten::_cudnn_rnn_backward", Library::Recurrent, 0, cudnnRnnBackward},
    {"aten::mkldnn_rnn_layer", Library::Recurrent, 0, onednnRnn},
    {"aten::mkldnn_rnn_layer_backward", Library::Recurrent, 0, onednnRnnBackward},
};

bool allowsTf32(Library library) {
  at::Context& context = at::globalContext();
  switch (library) {
    case Library::Blas: return context.allowTF32CuBLAS();
    case Library::Convolution: return context.allowTF32CuDNN(at::Float32Op::CONV);
    case Library::Recurrent: return context.allowTF32CuDNN(at::Float32Op::RNN);
  }
  return false;
}

/// Empty for factors that do not float.
std::string precisionOf(const at::Tensor& factor, Library library) {
  switch (factor.scalar_type()) {
    case at::kHalf: return std::string(ir::torchName(ir::DType::F16));
    case at::kBFloat16: return std::string(ir::torchName(ir::DType::BF16));
    case at::kDouble: return std::string(ir::torchName(ir::DType::F64));
    case at::kFloat: break;
    default: return "";
  }
  return factor.is_cuda() && allowsTf32(library) ? "tf32" : std::string(ir::torchName(ir::DType::F32));
}

}  // namespace

std::optional<CallFlops> flopsOf(std::string_view op, c10::ArrayRef<const c10::IValue> arguments) {
  const auto* found =
      std::find_if(std::begin(multiplying), std::end(multiplying), [&](const Multiplying& each) { return each.op == op; });
  if (found == std::end(multiplying)) return std::nullopt;
  std::string precision = precisionOf(arguments[found->factor].toTensor(), found->library);
  if (precision.empty()) return std::nullopt;
  return CallFlops{found->flops(arguments), std::move(precision)};
}

}  // namespace runtime
