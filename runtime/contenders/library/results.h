#pragma once

#include <vector>

#include "ir/tensor_type.h"
#include "runtime/contenders/library/arguments.h"

namespace runtime::library {

/// The results with the strides that `types`, eager's, have: results in another order are copied, missing ones allocated. Error:
/// Internal where there are more, or their dtypes or sizes differ.
Results conformed(Results results, const std::vector<ir::TensorType>& types, at::Device device);

}  // namespace runtime::library
