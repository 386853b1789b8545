#include "opbench/settings/device_name.h"

#include <algorithm>

#include "opbench/settings/options.h"

namespace opbench {

bool isDevice(std::string_view text) {
  if (text == "cpu" || text == "cuda") return true;
  if (!text.starts_with("cuda:")) return false;
  const std::string_view number = text.substr(5);
  return !number.empty() && number.size() < 4 &&
         std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string wantedDevice(const Options& options, const std::function<bool()>& hasCuda) {
  if (!options.devices.empty()) return options.devices.front();
  if (!options.device.empty()) return options.device;
  return hasCuda() ? "cuda" : "cpu";
}

}  // namespace opbench
