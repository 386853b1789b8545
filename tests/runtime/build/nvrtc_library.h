#pragma once

#include <iostream>
#include <memory>

#include "ir/error.h"
#include "runtime/build/nvrtc.h"

namespace tests {

/// NVRTC, or nullptr (and a line that says why) where there is none.
inline runtime::Nvrtc* nvrtc() {
  static const std::unique_ptr<runtime::Nvrtc> library = []() -> std::unique_ptr<runtime::Nvrtc> {
    try {
      return std::make_unique<runtime::Nvrtc>();
    } catch (const ir::Error& error) {
      std::cout << "skipped: " << error.what() << "\n";
      return nullptr;
    }
  }();
  return library.get();
}

}  // namespace tests
