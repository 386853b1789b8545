#pragma once

#include <string>
#include <utility>
#include <vector>

namespace runtime {

/// What NVIDIA's management library says of the GPU at a PCI address (`0000:1b:00.0`): {what, found}; empty where there is
/// no such library.
std::vector<std::pair<std::string, std::string>> nvmlFacts(const std::string& pciBusId);

/// The driver's release (`580.82.07`); empty where there is no such library.
std::string nvmlDriver();

}  // namespace runtime
