#include <ATen/ops/empty.h>
#include <c10/util/accumulate.h>
#include <torch/library.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "runtime/cuda/cudnn/graph.h"

namespace runtime::cudnn {
namespace {

/// Rows that are each brought to mean 0 and deviation 1.
struct LayerNorm {
  Handle handle;
  DataType type, weightType;
  int64_t rows, columns;
  auto operator<=>(const LayerNorm&) const = default;
};

/// The numbers of the node's tensors.
enum NormTensor : int64_t { X = 1, Weight, Bias, Epsilon, Y, Mean, InverseDeviation };

std::unique_ptr<Plan> planOf(const LayerNorm& norm) {
  using Extents = std::array<int64_t, 4>;
  constexpr int layerNorm = 0, training = 1;
  const Extents matrix{norm.rows, norm.columns, 1, 1}, row{1, norm.columns, 1, 1}, column{norm.rows, 1, 1, 1}, one{1, 1, 1, 1};
  const Extents byRow{norm.columns, 1, norm.columns, norm.columns};
  const std::pair<Attribute, GraphTensor> operands[] = {
      {Attribute::NormX, {X, norm.type, matrix, byRow}},
      {Attribute::NormWeight, {Weight, norm.weightType, row, byRow}},
      {Attribute::NormBias, {Bias, norm.weightType, row, byRow}},
      {Attribute::NormEpsilon, {Epsilon, DataType::Float, one, one, true}},
      {Attribute::NormY, {Y, norm.type, matrix, byRow}},
      {Attribute::NormMean, {Mean, DataType::Float, column, one}},
      {Attribute::NormInverseDeviation, {InverseDeviation, DataType::Float, column, one}},
  };
  Descriptor node(Kind::NormForward);
  node.set(Attribute::NormMode, ValueType::NormMode, layerNorm);
  node.set(Attribute::NormPhase, ValueType::NormPhase, training);
  std::vector<Descriptor> tensors;
  for (const auto& [name, tensor] : operands) {
    tensors.push_back(describe(tensor));
    node.set(name, tensors.back());
  }
  node.finish();
  return std::make_unique<Plan>(norm.handle, std::move(node), std::move(tensors));
}

/// The plan is made by the first call, which is not captured. Never ended: cuDNN may be gone by the time statics are.
const Plan& keptPlanOf(const LayerNorm& norm) {
  static auto& kept = *new std::map<LayerNorm, std::unique_ptr<Plan>>;
  std::unique_ptr<Plan>& plan = kept[norm];
  if (plan == nullptr) plan = planOf(norm);
  return *plan;
}

void requireAligned(const char* name, const at::Tensor& tensor) {
  requireContiguous(name, tensor);
  TORCH_CHECK(reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) % graphAlignment == 0, name,
              " does not begin at a multiple of ", graphAlignment, " bytes");
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layerNorm(const at::Tensor& input, at::IntArrayRef shape,
                                                         const std::optional<at::Tensor>& weight,
                                                         const std::optional<at::Tensor>& bias, double eps) {
  TORCH_CHECK(weight && weight->defined() && bias && bias->defined(), "cuDNN's layer norm has a weight and a bias");
  TORCH_CHECK(weight->sizes() == shape && bias->sizes() == shape, "weight and bias must have the sizes normalized_shape");
  TORCH_CHECK(weight->scalar_type() == bias->scalar_type(), "weight and bias must have one dtype");
  const size_t first = input.sizes().size() - std::min(shape.size(), input.sizes().size());
  TORCH_CHECK(input.sizes().slice(first) == shape, "normalized_shape must be the last sizes of input");
  requireAligned("input", input);
  requireAligned("weight", *weight);
  requireAligned("bias", *bias);
  const Handle current = handle();
  const int64_t columns = c10::multiply_integers(shape);
  const Plan& plan =
      keptPlanOf({current, dataTypeOf(input.scalar_type()), dataTypeOf(weight->scalar_type()), input.numel() / columns, columns});

  std::vector<int64_t> kept = input.sizes().vec();
  std::fill(kept.begin() + static_cast<std::ptrdiff_t>(first), kept.end(), 1);
  const at::TensorOptions ofStatistics = input.options().dtype(at::kFloat);
  at::Tensor out = at::empty(input.sizes(), input.options());
  at::Tensor mean = at::empty(kept, ofStatistics), inverseDeviation = at::empty(kept, ofStatistics);
  const at::Tensor space = workspace(static_cast<size_t>(plan.workspaceBytes()), input);
  auto epsilon = static_cast<float>(eps);
  const int64_t ids[] = {X, Weight, Bias, Epsilon, Y, Mean, InverseDeviation};
  void* const data[] = {const_cast<void*>(input.const_data_ptr()),
                        const_cast<void*>(weight->const_data_ptr()),
                        const_cast<void*>(bias->const_data_ptr()),
                        &epsilon,
                        out.mutable_data_ptr(),
                        mean.mutable_data_ptr(),
                        inverseDeviation.mutable_data_ptr()};
  plan.run(current, ids, data, space.mutable_data_ptr());
  return {out, mean, inverseDeviation};
}

}  // namespace

TORCH_LIBRARY_IMPL(cudnn, CUDA, library) { library.impl("native_layer_norm", &layerNorm); }

}  // namespace runtime::cudnn
