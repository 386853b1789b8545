#include "runtime/torch/errors.h"

#include <c10/util/Exception.h>

#include <new>
#include <string_view>

namespace runtime {

bool isOutOfMemory(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr || dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr)
    return true;
  // What the CPU's allocator says has no class of its own, nor what TorchScript passes on. The names of an error's backtrace take
  // milliseconds to look up.
  const auto* ofTorch = dynamic_cast<const c10::Error*>(&error);
  const std::string_view text = ofTorch != nullptr ? ofTorch->what_without_backtrace() : error.what();
  return text.find("can't allocate memory") != std::string_view::npos ||
         text.find("CUDA out of memory") != std::string_view::npos ||
         text.find("CUDA error: out of memory") != std::string_view::npos;
}

}  // namespace runtime
