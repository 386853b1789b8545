#pragma once

#include <cstdint>
#include <string>

namespace tests {

/// What a page shows after the kernels.
enum class Sources : uint8_t { None, Cuda, Both };

/// Checks a golden page, `tests/golden/pages/NAME.txt`: a graph with what each stage makes of it, on both backends.
void page(const std::string& name, const std::string& graphText, Sources sources = Sources::None);

}  // namespace tests
