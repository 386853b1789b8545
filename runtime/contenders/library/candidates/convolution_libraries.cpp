#include "runtime/contenders/library/candidate.h"
#include "runtime/contenders/library/candidates/convolution.h"
#include "runtime/contenders/library/settings.h"

namespace runtime::library {
namespace {

Results benchmarked(const Arguments& a) {
  return apart(a.tensor("input").device(), [&] { return under(Setting::BenchmarkedCudnn, [&] { return a.call(); }); });
}

/// Whether cuDNN may take any of its algorithms: some of those for gradients lose digits of long sums of halves.
bool mayBenchmark(const Arguments& a) {
  return a.isCuda() && !(a.has("grad_output") && at::isReducedFloatingType(a.tensor("input").scalar_type()));
}

/// The algorithm that cuDNN finds by measuring.
const Candidate cudnnBenchmark{"cudnn benchmark", convolutionOps, [](const Arguments& a) -> Way {
                                 if (!mayBenchmark(a)) return {};
                                 return benchmarked;
                               }};

/// The algorithm that cuDNN finds by measuring, for channels that lie next to each other.
const Candidate channelsLastBenchmark{"channels_last, cudnn benchmark", convolutionOps, [](const Arguments& a) -> Way {
                                        const std::optional<at::MemoryFormat> format = channelsLastOf(a);
                                        if (!mayBenchmark(a) || !format || a.tensor("input").is_contiguous(*format)) return {};
                                        return [format](const Arguments& a) { return benchmarked(inFormat(a, *format)); };
                                      }};

/// ATen's own kernels, which it has for groups of one channel.
const Candidate withoutCudnn{"without cudnn", convolutionOps, [](const Arguments& a) -> Way {
                               const int64_t groups = a.value("groups").toInt();
                               if (!a.isCuda() || groups == 1 || groups != a.tensor("input").size(1)) return {};
                               return [](const Arguments& a) { return under(Setting::WithoutCudnn, [&] { return a.call(); }); };
                             }};

/// ATen's own kernels, which copy the windows of an image to rows and multiply them. They round sums to halves in between.
const Candidate convolutionWithoutOneDnn{"without onednn", convolutionOps, [](const Arguments& a) -> Way {
                                           if (a.isCuda() || at::isReducedFloatingType(a.tensor("input").scalar_type()))
                                             return {};
                                           return [](const Arguments& a) {
                                             return under(Setting::WithoutOneDnn, [&] { return a.call(); });
                                           };
                                         }};

}  // namespace
}  // namespace runtime::library
