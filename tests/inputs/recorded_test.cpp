#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "inputs/sample.h"

namespace {

/// Every pointwise operator that public recordings of training steps hold.
constexpr const char* pointwiseOperators =
    "_to_copy abs add.Scalar add.Tensor add_.Tensor addcmul bitwise_and.Tensor bitwise_not bitwise_xor.Tensor clamp clamp_min "
    "cos "
    "div.Scalar div.Tensor div_.Tensor elu elu_backward eq.Scalar eq.Tensor erf exp fill_.Scalar fill_.Tensor floor floor_divide "
    "fmod.Scalar ge.Scalar gelu gelu_backward gt.Scalar gt.Tensor hardsigmoid hardsigmoid_backward hardswish hardswish_ "
    "hardswish_backward hardtanh hardtanh_ hardtanh_backward isinf isnan le.Scalar leaky_relu leaky_relu_ leaky_relu_backward "
    "log2 "
    "logical_and_ lt.Scalar lt.Tensor masked_fill.Scalar masked_fill.Tensor masked_fill_.Scalar maximum minimum "
    "mse_loss_backward "
    "mul.Scalar mul.Tensor mul_.Tensor ne.Scalar neg pow.Scalar pow.Tensor_Scalar reciprocal relu relu_ remainder.Scalar round "
    "rsqrt rsub.Scalar sgn sigmoid sigmoid_ sigmoid_backward silu silu_ silu_backward sin sqrt sub.Tensor tanh tanh_backward "
    "threshold_backward tril triu where.self";

/// Reductions of every family that opbench generates.
constexpr const char* reductions =
    "sum.dim_IntList mean.dim var_mean.correction amax max.dim linalg_vector_norm cumsum logsumexp _softmax "
    "_softmax_backward_data "
    "_log_softmax _log_softmax_backward_data nll_loss_forward nll_loss_backward mse_loss native_layer_norm "
    "native_layer_norm_backward native_group_norm native_group_norm_backward native_batch_norm native_batch_norm_backward";

std::filesystem::path recorded() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../share/opbench/recorded";
}

}  // namespace

TEST_CASE("the starter suite is read without an error, and as it is printed") {
  inputs::Samples samples = inputs::readSamples({recorded().string()});
  CHECK(samples.errors.empty());
  CHECK(samples.samples.size() > 500);
  for (const inputs::Sample& sample : samples.samples) CHECK(toText(sample) == sample.recorded);
}

TEST_CASE("the starter suite holds every pointwise operator, and reductions of every family") {
  std::set<std::string> operators, suites;
  for (const inputs::Sample& sample : inputs::readSamples({recorded().string()}).samples) {
    operators.insert(sample.op);
    suites.insert(sample.suite);
  }
  std::istringstream names(std::string(pointwiseOperators) + " " + reductions);
  for (std::string name; names >> name;) {
    std::string op = "aten." + name + (name.find('.') == std::string::npos ? ".default" : "");
    CAPTURE(op);
    CHECK(operators.contains(op));
  }
  CHECK(suites == std::set<std::string>{"huggingface", "timm", "torchbench"});
}
