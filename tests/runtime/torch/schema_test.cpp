#include "runtime/torch/schema.h"

#include <doctest/doctest.h>

#include "ir/error.h"
#include "runtime/torch/operator_names.h"
#include "tests/runtime/sample.h"

namespace {

torch::jit::Stack bound(const std::string& op, const std::string& call) {
  const auto inputs = inputs::materialize(tests::sample(op, call), at::kCPU, 1);
  return runtime::bindArguments(op, runtime::findOperator(op).schema(), inputs, at::kCPU);
}

std::string messageOf(const std::string& op, const std::string& call) {
  try {
    bound(op, call);
  } catch (const ir::Error& error) {
    CHECK(error.kind() == ir::ErrorKind::Input);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("operators are found by the name the logs use") {
  CHECK_NOTHROW((void)runtime::findOperator("aten.add.Tensor"));
  CHECK_NOTHROW((void)runtime::findOperator("aten.relu.default"));
  CHECK_THROWS_WITH((void)runtime::findOperator("aten.add.Tnesor"), "ATen has no operator aten.add.Tnesor");
  const std::vector<std::string> names = runtime::operatorNames();
  CHECK(std::find(names.begin(), names.end(), "aten._to_copy.default") != names.end());
  CHECK_THROWS_WITH((void)runtime::findOperator("aten.nothing.default"), "ATen has no operator aten.nothing.default");
}

TEST_CASE("defaults are filled in and a number where a Tensor is declared becomes a wrapped one") {
  const auto stack = bound("aten.add.Tensor", "((T([2, 3], f16), 2.5), {})");
  REQUIRE(stack.size() == 3);
  CHECK((stack[0].toTensor().scalar_type() == at::kHalf));
  CHECK(stack[1].toTensor().unsafeGetTensorImpl()->is_wrapped_number());
  CHECK(stack[1].toTensor().item<double>() == 2.5);
  CHECK(stack[2].toInt() == 1);
}

TEST_CASE("numbers take the declared type") {
  CHECK(bound("aten.leaky_relu.default", "((T([2], f32), 1), {})")[1].isInt());  // a Scalar is what it is
  CHECK(bound("aten.bernoulli_.float", "((T([2], f32), 1), {})")[1].isDouble());
  CHECK(bound("aten._softmax.default", "((T([2], f32), -1, False), {})")[2].toBool() == false);
  CHECK(bound("aten.slice_backward.default", "((T([2, 2], f32), [2, 8], 1, 0, 9223372036854775807, 4), {})")[4].toInt() ==
        INT64_MAX);
}

TEST_CASE("lists are of the declared elements, and one number stands for a whole list") {
  const auto cat = bound("aten.cat.default", "(([T([2], f32), T([3], f32)], 0), {})");
  CHECK(cat[0].isTensorList());
  const auto index = bound("aten.index.Tensor", "((T([4, 4], f32), [None, T([2], i64)]), {})");
  REQUIRE(index[1].toListRef().size() == 2);
  CHECK(index[1].toListRef()[0].isNone());
  CHECK(bound("aten.new_empty.default", "((T([2], f32), [2, 3]), {})")[1].isIntList());
  CHECK(bound("aten.avg_pool2d.default", "((T([1, 1, 4, 4], f32), 2), {})")[1].toIntVector() == std::vector<int64_t>{2, 2});
  CHECK(bound("aten.sum.dim_IntList", "((T([2], f32), None), {})")[1].isNone());
}

TEST_CASE("dtype, layout, device and pin_memory") {
  const auto stack =
      bound("aten.new_empty_strided.default",
            "((T([2], f16), [2], [1]), {'dtype': f16, 'layout': torch.strided, 'device': 'cuda', 'pin_memory': False})");
  CHECK((stack[3].toScalarType() == at::kHalf));
  CHECK(stack[4].toLayout() == at::kStrided);
  CHECK(stack[5].toDevice() == at::kCPU);
  CHECK(stack[6].isNone());
}

TEST_CASE("a factory without tensors runs on the device that was asked for") {
  CHECK(bound("aten.zeros.default", "(([2, 3],), {})")[3].toDevice() == at::kCPU);
}

TEST_CASE("refusals") {
  CHECK(messageOf("aten.add.Tensor", "((T([2], f32),), {})") == "argument 'other' of aten.add.Tensor is missing");
  CHECK(messageOf("aten.neg.default", "((T([2], f32), 1), {})") == "aten.neg.default takes 1 positional arguments, got 2");
  CHECK(messageOf("aten.neg.default", "((T([2], f32),), {'alpha': 1})") == "aten.neg.default has no argument 'alpha'");
  CHECK(messageOf("aten.add.Tensor", "((T([2], f32), 1), {'other': 1})") == "argument 'other' of aten.add.Tensor is given twice");
  CHECK(messageOf("aten.cumsum.default", "((T([2], f32), 'x'), {})") ==
        "argument 'dim' of aten.cumsum.default must be int, got String");
}

TEST_CASE("what a call writes comes from the schema, and for running statistics from a table") {
  const auto effects = [](const std::string& op, const std::string& call) {
    return runtime::effectsOf(runtime::findOperator(op), bound(op, call));
  };
  CHECK(effects("aten.add.Tensor", "((T([2], f32), 1), {})").written.empty());
  const auto inPlace = effects("aten.add_.Tensor", "((T([2], f32), 1), {})");
  CHECK(inPlace.written == std::vector<int>{0});
  CHECK(inPlace.returned == std::vector<int>{0});
  const std::string batchNorm = "((T([2, 3, 4], f32), None, None, T([3], f32), T([3], f32), {}, 0.1, 1e-05), {{}})";
  CHECK(effects("aten.native_batch_norm.default", fmt::format(fmt::runtime(batchNorm), "True")).written ==
        std::vector<int>{3, 4});
  CHECK(effects("aten.native_batch_norm.default", fmt::format(fmt::runtime(batchNorm), "False")).written.empty());
  const auto view = effects("aten.unsqueeze_.default", "((T([2], f32), 0), {})");
  CHECK(view.changesMetadata);
  CHECK(view.written.empty());
  CHECK(effects("aten.bernoulli_.float", "((T([2], f32), 0.5), {})").isRandom);
  const std::string attention = "((T([1, 1, 4, 8], f32), T([1, 1, 4, 8], f32), T([1, 1, 4, 8], f32), {}), {{}})";
  const std::string flash = "aten._scaled_dot_product_flash_attention.default";
  CHECK(effects(flash, fmt::format(fmt::runtime(attention), 0.1)).isRandom);
  CHECK_FALSE(effects(flash, fmt::format(fmt::runtime(attention), 0.0)).isRandom);  // drops nothing out
}
