#pragma once

#include "opbench/accuracy.h"
#include "runtime/tensor_list.h"

namespace opbench {

/// What results are compared with.
struct Truth {
  runtime::TensorList eager;
  runtime::TensorList float64;  ///< eager's in float64; empty where ATen has none
};

/// Compares every output with the truth and judges it; the first that is wrong decides.
Verdict check(const runtime::TensorList& found, const Truth& truth, Rule rule);

}  // namespace opbench
