#include "runtime/program/autocast.h"

#include <ATen/autocast_mode.h>

namespace runtime {

Autocast::Autocast(at::Device device, std::optional<at::ScalarType> dtype)
    : device_(device.type()), isChanged_(dtype.has_value()) {
  if (isChanged_) set(true, dtype);
}

Autocast::Autocast(at::Device device, bool isOn, std::optional<at::ScalarType> dtype) : device_(device.type()), isChanged_(true) {
  set(isOn, dtype);
}

void Autocast::set(bool isOn, std::optional<at::ScalarType> dtype) {
  wasOn_ = at::autocast::is_autocast_enabled(device_);
  dtypeBefore_ = at::autocast::get_autocast_dtype(device_);
  at::autocast::set_autocast_enabled(device_, isOn);
  if (dtype) at::autocast::set_autocast_dtype(device_, *dtype);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!isChanged_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, wasOn_);
  at::autocast::set_autocast_dtype(device_, dtypeBefore_);
}

}  // namespace runtime
