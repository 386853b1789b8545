#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <optional>

namespace runtime {

/// While it lives, ATen's calls on a device choose their dtype as under torch.autocast; casts of weights are kept until the
/// outermost one ends.
class Autocast {
 public:
  /// As it is without a dtype.
  Autocast(at::Device device, std::optional<at::ScalarType> dtype);
  /// On or off, and without a dtype with the one that the device has.
  Autocast(at::Device device, bool isOn, std::optional<at::ScalarType> dtype);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  void set(bool isOn, std::optional<at::ScalarType> dtype);

  at::DeviceType device_;
  bool isChanged_;
  bool wasOn_ = false;
  at::ScalarType dtypeBefore_ = at::kFloat;
};

}  // namespace runtime
