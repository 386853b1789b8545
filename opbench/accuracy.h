#pragma once

#include <string>

#include "runtime/tensor_list.h"

namespace opbench {

/// Whether a result may be trusted, and if not where it is wrong and by how much.
struct Verdict {
  bool ok = true;
  std::string message;
};

/// How an operator's results are judged.
enum class Rule {
  Close,     ///< within the tolerance of the dtype, or as near to the float64 reference as eager is
  Exact,     ///< bit for bit eager's value: operators that only move or convert values
  TypeOnly,  ///< dtype, sizes and strides: results are random or left unwritten
};

/// The rule for an operator such as `aten.index_select.default`; dtypes that are not floating are Exact under any rule
/// but TypeOnly.
Rule ruleFor(const std::string& op);

/// The tolerance, absolute and relative, of results of a dtype: that of PyTorch's dynamo benchmarks, and twice it where no
/// float64 reference exists, because eager's error then adds to ours.
double tolerance(ir::DType dtype, bool hasReference);

/// Judges output number `output` by the rule of PyTorch's dynamo benchmarks (torch/_dynamo/utils.py, `same`): equal types;
/// then allclose; then a root mean square error of at most twice eager's (three times in low precision or small tensors)
/// plus a tenth of the tolerance. A result that is close only because all of it is tiny, and points elsewhere, is wrong.
Verdict judge(const runtime::Comparison& comparison, Rule rule, int output);

}  // namespace opbench
