// A library that gives one of ATen's operators another kernel as it is loaded.
#include <ATen/ops/mul.h>
#include <torch/library.h>

TORCH_LIBRARY_IMPL(aten, CPU, library) {
  library.impl("square", [](const at::Tensor& self) { return at::mul(self, self); });
}
