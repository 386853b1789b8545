#pragma once

#include <string_view>

namespace opbench {

/// Whether a text names a device that samples can be raced on: `cpu`, `cuda` or `cuda:N`.
bool isDevice(std::string_view text);

}  // namespace opbench
