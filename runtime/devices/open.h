#pragma once

#include <memory>
#include <string>

#include "ir/error.h"
#include "runtime/device.h"

namespace runtime {

/// The device that was asked for does not exist here.
class NoDevice : public ir::Error {
 public:
  explicit NoDevice(const std::string& message) : ir::Error(ir::ErrorKind::Unsupported, message) {}
};

/// Opens `cpu`, `cuda` or `cuda:N`; `threads` 0 leaves ATen's choice. Opens torch's CUDA side, the driver and NVRTC only for
/// CUDA. Throws NoDevice where there is none.
std::unique_ptr<Device> openDevice(const std::string& name, int threads);
/// Whether a CUDA device can be opened here, and if not why, in one line.
bool cudaAvailable(std::string* why = nullptr);
/// Device::name() of the device that openDevice would open, found without opening it. Throws NoDevice as openDevice does.
std::string deviceNameOf(const std::string& name);

}  // namespace runtime
