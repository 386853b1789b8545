#include "runtime/flops/call_flops.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>

#include <algorithm>

#include "inputs/operator_name.h"
#include "inputs/operators/facts.h"
#include "ir/dtype.h"
#include "ir/error.h"

namespace runtime {
namespace {

using Arguments = c10::ArrayRef<const c10::IValue>;

/// What decides whether f32 is multiplied as TF32.
enum class Library { Blas, Convolution, Recurrent };

/// How a call multiplies: the argument whose dtype the factors have, and how many operations there are.
struct Multiplying {
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
/// Of columns that are grouped, as few as a group has meet each matrix.
int64_t grouped(Arguments arguments) {
  const at::Tensor first = arguments[0].toTensor(), second = arguments[1].toTensor();
  const int64_t matrices = first.dim() == 3 && second.dim() == 2 ? std::max<int64_t>(first.size(0), 1) : 1;
  return 2 * first.numel() * second.size(-1) / matrices;
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

Multiplying multiplyingOf(inputs::Products products) {
  using inputs::Products;
  switch (products) {
    case Products::OfTwo: return {Library::Blas, 0, productAt<0>};
    case Products::Grouped: return {Library::Blas, 0, grouped};
    case Products::AddedToOne: return {Library::Blas, 1, productAt<1>};
    case Products::Convolution: return {Library::Convolution, 1, convolution};
    case Products::ConvolutionBackward: return {Library::Convolution, 2, convolutionBackward};
    case Products::Attention: return {Library::Blas, 0, attention};
    case Products::AttentionBackward: return {Library::Blas, 1, attentionBackward};
    case Products::CudnnRnn: return {Library::Recurrent, 0, cudnnRnn};
    case Products::CudnnRnnBackward: return {Library::Recurrent, 0, cudnnRnnBackward};
    case Products::OnednnRnn: return {Library::Recurrent, 0, onednnRnn};
    case Products::OnednnRnnBackward: return {Library::Recurrent, 0, onednnRnnBackward};
  }
  ir::fail(ir::ErrorKind::Internal, "products of matrices of an unknown kind");
}

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
  const auto products = inputs::productsOf(inputs::operatorName(op));
  if (!products) return std::nullopt;
  const Multiplying multiplying = multiplyingOf(*products);
  std::string precision = precisionOf(arguments[multiplying.factor].toTensor(), multiplying.library);
  if (precision.empty()) return std::nullopt;
  return CallFlops{multiplying.flops(arguments), std::move(precision)};
}

}  // namespace runtime
