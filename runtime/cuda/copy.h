#pragma once

#include "runtime/device.h"

namespace runtime {

/// Bytes a second, read plus written, of a kernel that copies 1 GiB on `device`, the median of ten; a kernel, because the
/// copy engine is slower at this size.
double measureCopy(Device& device);

}  // namespace runtime
