#include <ATen/ops/constant_pad_nd.h>

#include "runtime/contenders/library/candidate.h"
#include "runtime/contenders/library/settings.h"

namespace runtime::library {
namespace {

const std::vector<std::string> productOps{"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm"};

/// cuBLASLt's choice of kernels.
const Candidate cublasLt{"cublaslt", productOps, [](const Arguments& a) -> Way {
                           if (!a.isCuda()) return {};
                           return [](const Arguments& a) { return under(Setting::CublasLt, [&] { return a.call(); }); };
                         }};

/// The other library of the CPU's. oneDNN computes halves alone.
const Candidate productWithoutOneDnn{"without onednn", productOps, [](const Arguments& a) -> Way {
                                       const at::Tensor mat = a.tensor("self");
                                       if (a.isCuda() || !at::isReducedFloatingType(mat.scalar_type())) return {};
                                       return [](const Arguments& a) {
                                         return under(Setting::WithoutOneDnn, [&] { return a.call(); });
                                       };
                                     }};

/// Rows of this many halves begin at addresses that tensor cores load from.
constexpr int64_t aligned = 8;

int64_t missing(int64_t size) { return (aligned - size % aligned) % aligned; }

/// The names of the factors.
std::pair<const char*, const char*> factors(const Arguments& a) {
  if (a.has("batch1")) return {"batch1", "batch2"};
  if (a.has("mat1")) return {"mat1", "mat2"};
  return {"self", "mat2"};
}

/// Factors of halves with zeros appended to what is summed over, and to the columns where nothing is added to them, until rows
/// are aligned.
const Candidate padded{
    "padded", productOps, [](const Arguments& a) -> Way {
      const auto [left, right] = factors(a);
      const bool isSum = a.has("beta");
      const int64_t terms = missing(a.tensor(left).size(-1)), columns = isSum ? 0 : missing(a.tensor(right).size(-1));
      if (!a.isCuda() || terms + columns == 0 || !at::isReducedFloatingType(a.tensor(left).scalar_type())) return {};
      return [left = left, right = right, terms, columns](const Arguments& a) -> Results {
        const at::Tensor rows = terms == 0 ? a.tensor(left) : at::constant_pad_nd(a.tensor(left), {0, terms});
        const at::Tensor product =
            a.with(left, rows).with(right, at::constant_pad_nd(a.tensor(right), {0, columns, 0, terms})).call()[0];
        return {product.narrow(-1, 0, product.size(-1) - columns)};
      };
    }};

}  // namespace
}  // namespace runtime::library
