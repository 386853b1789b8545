#include "runtime/contenders/library/candidate.h"
#include "runtime/contenders/library/candidates/convolution.h"

namespace runtime::library {
namespace {

/// Channels next to each other, as tensor cores take them: the operands are copied, and the results copied back.
const Candidate channelsLast{
    "channels_last", convolutionOps, [](const Arguments& a) -> Way {
      const std::optional<at::MemoryFormat> format = channelsLastOf(a);
      if (!format || (a.tensor("input").is_contiguous(*format) && a.tensor("weight").is_contiguous(*format))) return {};
      return [format](const Arguments& a) { return inFormat(a, *format).call(); };
    }};

/// Points next to each other.
const Candidate channelsFirst{"channels_first", convolutionOps, [](const Arguments& a) -> Way {
                                if (a.tensor("input").is_contiguous()) return {};
                                return [](const Arguments& a) { return inFormat(a, at::MemoryFormat::Contiguous).call(); };
                              }};

}  // namespace
}  // namespace runtime::library
