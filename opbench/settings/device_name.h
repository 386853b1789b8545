#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace opbench {

struct Options;

/// Whether a text names a device that samples can be raced on: `cpu`, `cuda` or `cuda:N`.
bool isDevice(std::string_view text);

/// The device that a run on one device means: `cpu`, `cuda` or `cuda:N`; where the options name none, CUDA if there is any.
std::string wantedDevice(const Options& options, const std::function<bool()>& hasCuda);

}  // namespace opbench
