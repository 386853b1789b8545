// A library whose operators have the names of ATen's: `--contenders eager,namesakes` races each beside ATen's.
#include <ATen/ops/_softmax.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/native_batch_norm.h>
#include <torch/library.h>

using at::Tensor;

TORCH_LIBRARY(namesakes, library) {
  library.def("_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
              [](const Tensor& self, int64_t dim, bool) { return at::_softmax(self, dim, false); });
  library.def("mul.Tensor(Tensor self, Tensor other) -> Tensor",
              [](const Tensor& self, const Tensor& other) { return at::mul(self, other); });
  library.def("relu_(Tensor(a!) self) -> Tensor(a!)", [](Tensor& self) -> Tensor& { return self.clamp_min_(0); });
  // Writes running statistics and does not return them, as ATen's.
  library.def(
      "native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
      "bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
      &at::native_batch_norm);
  // Wrong.
  library.def("abs(Tensor self) -> Tensor", [](const Tensor& self) { return self.clone(); });
  // Another schema than ATen's, whose `dim` is a list.
  library.def("amax(Tensor self, Tensor dim) -> Tensor", [](const Tensor& self, const Tensor&) { return self.amax(); });
  // Refuses what it does not compute.
  library.def("neg(Tensor self) -> Tensor", [](const Tensor& self) {
    TORCH_CHECK(self.dim() == 2, "self must have 2 dimensions, got ", self.dim());
    return self.neg();
  });
}
