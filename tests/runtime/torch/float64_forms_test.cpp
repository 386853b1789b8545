#include "runtime/torch/float64_forms.h"

#include <ATen/Functions.h>
#include <doctest/doctest.h>
#include <torch/autograd.h>

#include "ir/error.h"
#include "runtime/torch/schema.h"

namespace {

constexpr double scale = 0.3;

at::Tensor drawn(at::IntArrayRef sizes) { return at::randn(sizes, at::kDouble); }

std::vector<at::Tensor> tensorsOf(const std::string& op, const std::vector<c10::IValue>& arguments) {
  const runtime::Float64Form form = runtime::float64FormOf(op);
  REQUIRE((form != nullptr));
  return runtime::tensorsIn(form(arguments));
}

}  // namespace

TEST_CASE("attention in float64 is that of ATen's products, and so are its gradients: shared heads, biases, causal ones") {
  at::manual_seed(1);
  for (const auto& [heads, isCausal, hasBias] :
       {std::tuple(2, false, false), {4, false, true}, {2, true, false}, {6, true, false}}) {
    CAPTURE(heads);
    const at::Tensor query = drawn({2, heads, 5, 8}).requires_grad_(), key = drawn({2, 2, 5, 8}).requires_grad_(),
                     value = drawn({2, 2, 5, 8}).requires_grad_(), gradient = drawn({2, heads, 5, 8});
    const c10::IValue bias = hasBias ? c10::IValue(drawn({1, 1, 5, 5})) : c10::IValue();
    const auto mask = hasBias ? std::optional(bias.toTensor()) : std::nullopt;
    const at::Tensor expected = at::scaled_dot_product_attention(query, key, value, mask, 0, isCausal, scale, true);
    const auto gradients = torch::autograd::grad({expected}, {query, key, value}, {gradient});

    const at::NoGradGuard guard;
    const std::vector<at::Tensor> found = tensorsOf("aten._scaled_dot_product_cudnn_attention.default",
                                                    {query, key, value, bias, true, 0.0, isCausal, false, scale});
    REQUIRE(found.size() == 4);
    CHECK(found[0].allclose(expected));
    CHECK(found[1].sizes() == at::IntArrayRef({2, heads, 5, 1}));
    const std::vector<at::Tensor> backward =
        tensorsOf("aten._scaled_dot_product_cudnn_attention_backward.default",
                  {gradient, query, key, value, found[0], found[1], found[2], found[3],
                   hasBias ? bias : c10::IValue(at::Tensor()), c10::IValue(), c10::IValue(), 5, 5, 0.0, isCausal, scale});
    REQUIRE(backward.size() == 3);
    for (size_t i = 0; i < backward.size(); ++i) CHECK(backward[i].allclose(gradients[i]));
  }
}

TEST_CASE("attention in float64 has no sums where none are asked for; and no form with dropout") {
  const at::Tensor x = drawn({1, 2, 3, 4});
  const std::string op = "aten._scaled_dot_product_cudnn_attention.default";
  CHECK(tensorsOf(op, {x, x, x, c10::IValue(), false, 0.0, false, false, c10::IValue()}).size() == 3);
  CHECK_THROWS_AS(tensorsOf(op, {x, x, x, c10::IValue(), false, 0.1, false, false, c10::IValue()}), ir::Error);
}

TEST_CASE("cuDNN's attention has no kernel in float64, and is not asked for one") {
  for (const char* op : {"aten._cudnn_attention_forward.default", "aten._cudnn_attention_backward.default"})
    CHECK_THROWS_AS(runtime::float64FormOf(op)({}), ir::Error);
  CHECK_FALSE((runtime::float64FormOf("aten.mm.default") != nullptr));
}
