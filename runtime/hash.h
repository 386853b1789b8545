#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace runtime {

using Hash = std::array<uint64_t, 2>;

/// 128 bits that depend on every bit of `data`: names for files and sums against damage, not against forgers.
Hash hash(std::string_view data, Hash state = {1, 2});
/// The same as 32 hexadecimal digits.
std::string digest(std::string_view data);

}  // namespace runtime
