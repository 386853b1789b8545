#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "inputs/sample.h"
#include "inputs/text/words.h"

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

std::set<std::string> operatorsOf(const std::vector<inputs::Sample>& samples) {
  std::set<std::string> operators;
  for (const inputs::Sample& sample : samples) operators.insert(sample.op);
  return operators;
}

std::string namesOf(const std::filesystem::path& suite) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(suite)) names.insert(entry.path().stem().string());
  return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace

TEST_CASE("the suites are read without an error, and as they are printed") {
  const inputs::Samples samples = inputs::readSamples({recorded().string()});
  CHECK(samples.errors.empty());
  CHECK(samples.samples.size() > 5000);
  std::set<std::string> suites;
  for (const inputs::Sample& sample : samples.samples) {
    CHECK(toText(sample) == sample.recorded);
    suites.insert(sample.suite);
  }
  CHECK(suites == std::set<std::string>{"huggingface", "llm", "regions", "timm", "torchbench"});
}

TEST_CASE("the suites have the recordings of models.tsv, and no others") {
  std::ifstream table(recorded() / "models.tsv");
  std::map<std::string, std::set<std::string>> recordings;
  for (std::string suite, model, sizes, kinds; table >> suite;) {
    if (suite == "#") {
      std::getline(table, kinds);
      continue;
    }
    table >> model >> sizes >> kinds;
    for (const std::string_view kind : inputs::split(kinds, ",")) recordings[suite].insert(fmt::format("{}_{}", model, kind));
  }
  CHECK(recordings.size() == 4);
  for (const auto& [suite, names] : recordings) CHECK(namesOf(recorded() / suite) == fmt::format("{}", fmt::join(names, " ")));
}

TEST_CASE("the written samples hold every pointwise operator, and reductions of every family") {
  const auto written = std::filesystem::canonical(recorded()) / "../../tests/samples";
  const inputs::Samples samples = inputs::readSamples({written.string()});
  CHECK(samples.errors.empty());
  const std::set<std::string> operators = operatorsOf(samples.samples);
  std::istringstream names(std::string(pointwiseOperators) + " " + reductions);
  for (std::string name; names >> name;) {
    std::string op = "aten." + name + (name.find('.') == std::string::npos ? ".default" : "");
    CAPTURE(op);
    CHECK(operators.contains(op));
  }
}
