// What says that memory ran out.
#include "runtime/torch/errors.h"

#include <c10/util/Exception.h>
#include <doctest/doctest.h>

#include <new>
#include <stdexcept>

TEST_CASE("memory that ran out is known by who says so, or by the words of ATen's allocators and of CUDA's driver") {
  const auto isSaidBy = [](const std::string& words) {
    return runtime::isOutOfMemory(std::runtime_error(words)) &&
           runtime::isOutOfMemory(c10::Error({__func__, __FILE__, 1}, words));
  };
  CHECK(runtime::isOutOfMemory(std::bad_alloc()));
  CHECK(isSaidBy("DefaultCPUAllocator: can't allocate memory: you tried to allocate 80 bytes"));
  CHECK(isSaidBy("CUDA out of memory. Tried to allocate 20.00 GiB"));
  CHECK(isSaidBy("CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported at some other API call"));
  CHECK_FALSE(isSaidBy("CUDA error: an illegal memory access was encountered"));
}
