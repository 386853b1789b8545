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

/// Whether NVRTC makes a cubin of a program; it throws its log where not. It optimizes little, which would take most of its time.
inline bool isAccepted(ir::KernelSource program) {
  ir::require(nvrtc() != nullptr, "there is no NVRTC");
  program.options.emplace_back("--Ofast-compile=max");
  return nvrtc()
      ->compile(program, runtime::Cache())
      .cubin.starts_with(
          "\x7f"
          "ELF");
}

}  // namespace tests
