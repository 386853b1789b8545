#include <ATen/ops/addmm.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/mm.h>

#include "runtime/contenders/library/candidate.h"
#include "runtime/contenders/library/candidates/convolution.h"

namespace runtime::library {
namespace {

/// The images `[N, O, P]` with the points of `like`.
at::Tensor withPointsOf(const at::Tensor& like, const at::Tensor& images) {
  std::vector<int64_t> sizes = like.sizes().vec();
  sizes[1] = images.size(1);
  return images.view(sizes);
}

at::Tensor imageProducts(const at::Tensor& weight, const at::Tensor& input) {
  const at::Tensor matrix = weightMatrix(weight), images = flatPoints(input);
  if (input.size(0) == 1) return withPointsOf(input, at::mm(matrix, images[0]).unsqueeze(0));
  return withPointsOf(input, at::bmm(matrix.unsqueeze(0).expand({images.size(0), -1, -1}), images));
}

/// A product for each image: `weight [O, I] x image [I, P]`, then the bias.
const Candidate convolutionBmm{"bmm", {"aten::convolution"}, inWholeSums([](const Arguments& a) -> Way {
                                 if (!isPointwise(a) || !hasRowsOfPoints(a.tensor("input"))) return {};
                                 const at::Tensor bias = a.tensor("bias");
                                 if (!bias.defined())
                                   return [](const Arguments& a) -> Results {
                                     return {imageProducts(a.tensor("weight"), a.tensor("input"))};
                                   };
                                 if (at::isReducedFloatingType(bias.scalar_type()))
                                   return {};  // the product would be rounded before the bias is added
                                 return [](const Arguments& a) -> Results {
                                   const at::Tensor sums = imageProducts(a.tensor("weight"), a.tensor("input"));
                                   flatPoints(sums).add_(a.tensor("bias").unsqueeze(-1));
                                   return {sums};
                                 };
                               })};

/// A product for each image, as above, with the bias added by the product itself.
const Candidate convolutionBaddbmm{"baddbmm", {"aten::convolution"}, inWholeSums([](const Arguments& a) -> Way {
                                     if (!isPointwise(a) || !hasRowsOfPoints(a.tensor("input")) || !a.tensor("bias").defined())
                                       return {};
                                     return [](const Arguments& a) -> Results {
                                       const at::Tensor input = a.tensor("input"), bias = a.tensor("bias").unsqueeze(-1);
                                       const at::Tensor matrix = weightMatrix(a.tensor("weight")), images = flatPoints(input);
                                       if (input.size(0) == 1)
                                         return {withPointsOf(input, at::addmm(bias, matrix, images[0]).unsqueeze(0))};
                                       const at::Tensor matrices = matrix.unsqueeze(0).expand({images.size(0), -1, -1});
                                       return {withPointsOf(input, at::baddbmm(bias.unsqueeze(0), matrices, images))};
                                     };
                                   })};

/// One product for all images, whose points are rows: `input [N P, I] x weight^T [I, O]`. Where they are not, they are copied,
/// which pays where they are few.
const Candidate convolutionAddmm{
    "addmm", {"aten::convolution"}, inWholeSums([](const Arguments& a) -> Way {
      constexpr int64_t few = 4096;
      if (!isPointwise(a)) return {};
      const at::Tensor input = a.tensor("input");
      if (!isMatrix(input) && input.size(0) * pointsOf(input) > few) return {};
      return [](const Arguments& a) -> Results {
        const at::Tensor input = a.tensor("input"), bias = a.tensor("bias"), matrix = weightMatrix(a.tensor("weight")).t();
        return {imagesOf(bias.defined() ? at::addmm(bias, matrixOf(input), matrix) : at::mm(matrixOf(input), matrix), input)};
      };
    })};

}  // namespace
}  // namespace runtime::library
