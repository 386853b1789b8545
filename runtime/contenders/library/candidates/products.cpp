#include <ATen/ops/dot.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/mv.h>

#include "runtime/contenders/library/candidate.h"

namespace runtime::library {
namespace {

/// A product of vectors.
const Candidate dot{"dot", {"aten::mm"}, [](const Arguments& a) -> Way {
                      if (a.tensor("self").size(0) != 1 || a.tensor("mat2").size(1) != 1) return {};
                      return [](const Arguments& a) -> Results {
                        return {at::dot(a.tensor("self")[0], a.tensor("mat2").select(1, 0)).view({1, 1})};
                      };
                    }};

/// A product of a matrix and a vector, on either side.
const Candidate mv{
    "mv", {"aten::mm"}, [](const Arguments& a) -> Way {
      const bool isRow = a.tensor("self").size(0) == 1, isColumn = a.tensor("mat2").size(1) == 1;
      if (isRow == isColumn) return {};
      if (isRow)
        return [](const Arguments& a) -> Results { return {at::mv(a.tensor("mat2").t(), a.tensor("self")[0]).unsqueeze(0)}; };
      return [](const Arguments& a) -> Results { return {at::mv(a.tensor("self"), a.tensor("mat2").select(1, 0)).unsqueeze(1)}; };
    }};

/// Outer products: each element is a product of two numbers.
const Candidate outer{"mul", {"aten::mm", "aten::bmm"}, [](const Arguments& a) -> Way {
                        if (a.tensor("self").size(-1) != 1) return {};
                        return [](const Arguments& a) -> Results { return {at::mul(a.tensor("self"), a.tensor("mat2"))}; };
                      }};

/// A batch whose matrices are one and the same.
bool isShared(const at::Tensor& batch) { return batch.size(0) == 1 || batch.stride(0) == 0; }

/// One product for the batch, where its right matrices are the same: their left ones lie below each other.
const Candidate mmOfAll{
    "mm", {"aten::bmm"}, [](const Arguments& a) -> Way {
      const at::Tensor left = a.tensor("self"), right = a.tensor("mat2");
      if (left.numel() == 0 || right.numel() == 0 || !isShared(right)) return {};
      return [](const Arguments& a) -> Results {
        const at::Tensor left = a.tensor("self"), right = a.tensor("mat2")[0];
        return {at::mm(left.reshape({-1, left.size(2)}), right).view({left.size(0), left.size(1), right.size(1)})};
      };
    }};

}  // namespace
}  // namespace runtime::library
