#pragma once

#include <vector>

namespace runtime {

/// The processors that the calling thread may use.
std::vector<int> allowedProcessors();
/// Confines the calling thread, and threads that it makes later, to these processors.
void confineTo(const std::vector<int>& processors);

}  // namespace runtime
