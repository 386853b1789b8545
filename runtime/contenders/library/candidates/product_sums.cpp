#include <ATen/ops/addmm.h>
#include <ATen/ops/addmv.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/mm.h>

#include "runtime/contenders/library/candidate.h"

namespace runtime::library {
namespace {

bool isOne(const Arguments& a, const char* name) { return a.number(name) == 1; }

/// The product, then what is added to it. Not where it would be rounded to a half in between.
const Candidate product{
    "product, add", {"aten::addmm", "aten::baddbmm"}, [](const Arguments& a) -> Way {
      const at::Tensor self = a.tensor("self");
      if (!isOne(a, "beta") || !isOne(a, "alpha") || at::isReducedFloatingType(self.scalar_type())) return {};
      if (a.has("mat1"))
        return [](const Arguments& a) -> Results { return {at::mm(a.tensor("mat1"), a.tensor("mat2")).add_(a.tensor("self"))}; };
      return
          [](const Arguments& a) -> Results { return {at::bmm(a.tensor("batch1"), a.tensor("batch2")).add_(a.tensor("self"))}; };
    }};

/// The product alone, where nothing is added.
const Candidate productAlone{
    "product", {"aten::addmm", "aten::baddbmm"}, [](const Arguments& a) -> Way {
      if (a.number("beta") != 0 || !isOne(a, "alpha")) return {};
      if (a.has("mat1")) return [](const Arguments& a) -> Results { return {at::mm(a.tensor("mat1"), a.tensor("mat2"))}; };
      return [](const Arguments& a) -> Results { return {at::bmm(a.tensor("batch1"), a.tensor("batch2"))}; };
    }};

/// A sum and a product of a matrix and a vector, where the result is a column of its own numbers.
const Candidate addmv{"addmv", {"aten::addmm"}, [](const Arguments& a) -> Way {
                        const at::Tensor self = a.tensor("self");
                        if (a.tensor("mat2").size(1) != 1 || self.dim() != 2 || self.size(0) != a.tensor("mat1").size(0))
                          return {};
                        return [](const Arguments& a) -> Results {
                          const c10::Scalar beta = a.value("beta").toScalar(), alpha = a.value("alpha").toScalar();
                          const at::Tensor self = a.tensor("self").select(1, 0), vector = a.tensor("mat2").select(1, 0);
                          return {at::addmv(self, a.tensor("mat1"), vector, beta, alpha).unsqueeze(1)};
                        };
                      }};

/// A batch of one.
const Candidate addmmOfOne{
    "addmm", {"aten::baddbmm"}, [](const Arguments& a) -> Way {
      const at::Tensor self = a.tensor("self");
      if (a.tensor("batch1").size(0) != 1 || self.dim() != 3) return {};
      return [](const Arguments& a) -> Results {
        const c10::Scalar beta = a.value("beta").toScalar(), alpha = a.value("alpha").toScalar();
        return {at::addmm(a.tensor("self")[0], a.tensor("batch1")[0], a.tensor("batch2")[0], beta, alpha).unsqueeze(0)};
      };
    }};

}  // namespace
}  // namespace runtime::library
