#pragma once

#include <string>

#include "inputs/descriptor.h"

namespace runtime {

/// A piece of hardware held as long as this lives, so that other processes of this machine that ask for it see that it is in use.
/// Nothing is written: the name of a socket is taken, which the system gives back however a process ends.
class HardwareLock {
 public:
  /// `hardware` names it among all that this machine has; an empty name locks nothing.
  explicit HardwareLock(const std::string& hardware);

  /// Whether another process held it when this one asked.
  bool isHeldElsewhere() const { return isHeldElsewhere_; }

 private:
  inputs::Descriptor socket_;
  bool isHeldElsewhere_ = false;
};

}  // namespace runtime
