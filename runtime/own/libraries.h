#pragma once

#include <string>
#include <vector>

namespace runtime {

/// Loads a shared library into this process, for as long as that lives. Returns the operators that it has registered with torch's
/// dispatcher meanwhile: `my::softmax`, `my::softmax.out`. Error: Input, with the loader's words, where that cannot be done, or
/// where it has registered kernels of ATen's operators.
std::vector<std::string> loadLibrary(const std::string& file);

/// Requires a registered operator of that name. Error: Input where there is none; the message begins with `what` it was to be,
/// and lists the operators of `loaded`.
void requireRegistered(const std::string& what, const std::string& name, const std::vector<std::string>& loaded);

}  // namespace runtime
