#include <ATen/ops/bmm.h>
#include <ATen/ops/mm.h>

#include <numeric>

#include "runtime/contenders/library/candidate.h"
#include "runtime/contenders/library/candidates/convolution.h"

namespace runtime::library {
namespace {

const std::string op = "aten::convolution_backward";

/// The gradients of the input, the weight and the bias.
enum Gradient { OfInput, OfWeight, OfBias };

/// The sum over all but the channels.
at::Tensor biasGradient(const at::Tensor& grad) {
  std::vector<int64_t> dims(static_cast<size_t>(grad.dim()) - 1);
  std::iota(dims.begin(), dims.end(), 1);
  dims[0] = 0;
  return grad.sum(dims);
}

/// The gradients that are asked for, each by its function of the gradient of the output.
template <typename InputGradient, typename WeightGradient>
Results gradients(const Arguments& a, const InputGradient& ofInput, const WeightGradient& ofWeight) {
  const at::Tensor grad = a.tensor("grad_output");
  const std::vector<bool> asked = a.flags("output_mask");
  Results results;
  if (asked[OfInput]) results.push_back(ofInput(grad));
  if (asked[OfWeight]) results.push_back(ofWeight(grad).view(a.tensor("weight").sizes()));
  if (asked[OfBias]) results.push_back(biasGradient(grad));
  return results;
}

/// `weight^T [I, O] x gradient [O, P]` for each image.
at::Tensor inputGradient(const Arguments& a, const at::Tensor& grad) {
  const at::Tensor matrix = weightMatrix(a.tensor("weight")).t(), images = flatPoints(grad);
  const at::Tensor products =
      grad.size(0) == 1 ? at::mm(matrix, images[0]) : at::bmm(matrix.unsqueeze(0).expand({images.size(0), -1, -1}), images);
  return products.view(a.tensor("input").sizes());
}

/// `[N, C, points...]` as `[C, N * P]`.
at::Tensor rowsOfChannels(const at::Tensor& images) { return images.transpose(0, 1).reshape({images.size(1), -1}); }

bool hasRows(const Arguments& a) {
  return isPointwise(a) && hasRowsOfPoints(a.tensor("input")) && hasRowsOfPoints(a.tensor("grad_output"));
}

/// Products over the channels of an image. The weight's gradient is one product over all images, whose channels are copied to
/// rows.
const Candidate backwardBmm{
    "bmm", {op}, inWholeSums([](const Arguments& a) -> Way {
      if (!hasRows(a)) return {};
      return [](const Arguments& a) -> Results {
        return gradients(
            a, [&](const at::Tensor& grad) { return inputGradient(a, grad); },
            [&](const at::Tensor& grad) { return at::mm(rowsOfChannels(grad), rowsOfChannels(a.tensor("input")).t()); });
      };
    })};

/// The same, but for the weight's gradient: a product for each image, and their sum, which nothing is copied for.
const Candidate backwardBmmSum{"bmm, sum", {op}, inWholeSums([](const Arguments& a) -> Way {
                                 const at::Tensor input = a.tensor("input");
                                 if (!hasRows(a) || input.size(0) == 1 || !a.flags("output_mask")[OfWeight]) return {};
                                 if (at::isReducedFloatingType(input.scalar_type()))
                                   return {};  // each image's product would be rounded
                                 return [](const Arguments& a) -> Results {
                                   return gradients(
                                       a, [&](const at::Tensor& grad) { return inputGradient(a, grad); },
                                       [&](const at::Tensor& grad) {
                                         return at::bmm(flatPoints(grad), flatPoints(a.tensor("input")).transpose(1, 2)).sum(0);
                                       });
                                 };
                               })};

/// One product each, of all images' points as rows. They are copied to rows where they are few.
const Candidate backwardMm{
    "mm", {op}, inWholeSums([](const Arguments& a) -> Way {
      constexpr int64_t few = 4096;
      if (!isPointwise(a)) return {};
      const at::Tensor input = a.tensor("input");
      const bool areMatrices = isMatrix(input) && isMatrix(a.tensor("grad_output"));
      if (!areMatrices && input.size(0) * pointsOf(input) > few) return {};
      return [](const Arguments& a) -> Results {
        const at::Tensor input = a.tensor("input");
        return gradients(
            a, [&](const at::Tensor& grad) { return imagesOf(at::mm(matrixOf(grad), weightMatrix(a.tensor("weight"))), input); },
            [&](const at::Tensor& grad) { return at::mm(matrixOf(grad).t(), matrixOf(input)); });
      };
    })};

}  // namespace
}  // namespace runtime::library
