#include "inputs/data/materialize.h"

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "inputs/convert.h"
#include "inputs/operators/facts.h"
#include "ir/scalar.h"

using inputs::Inputs;

namespace {

inputs::Sample sampleOf(const std::string& op, const std::string& call) {
  inputs::Sample sample;
  sample.op = op;
  inputs::parseCall(call, {"model.txt", 1}, 1, sample);
  return sample;
}

Inputs made(const std::string& op, const std::string& call, uint64_t seed = 1) {
  return inputs::materialize(sampleOf(op, call), c10::kCPU, seed);
}

at::Tensor firstTensor(const std::string& op, const std::string& call, uint64_t seed = 1) {
  return made(op, call, seed).args.at(0).toTensor();
}

}  // namespace

TEST_CASE("a tensor that is made without the others of its call is the same") {
  struct Row {
    const char *op, *call;
  };
  const Row rows[] = {
      {"aten.addmm.default", "((T([3], f32), T([2, 4], f32), T([4, 3], f32)), {'beta': 2})"},
      {"aten._foreach_add.List", "(([T([3], f16), T([2], f32)], [T([3], f16), T([2], f32)]), {})"},
      {"aten.index.Tensor", "((T([5, 7], bf16), [None, T([4], i64)]), {})"},
      {"aten.embedding.default", "((T([10, 4], f32), T([2, 3], i64)), {})"},
      {"aten.where.self", "((), {'condition': T([2, 3], b8), 'self': T([2, 3], f32), 'other': T([2, 3], f32)})"},
      {"aten.native_batch_norm_backward.default",
       "((T([2, 3, 4], f32), T([2, 3, 4], f32), T([3], f32), T([3], f32), T([3], f32), T([3], f32), T([3], f32), False, 1e-05, "
       "[True, True, True]), {})"},
  };
  for (const Row& row : rows)
    for (const inputs::Distribution distribution : {inputs::Distribution::Normal, inputs::Distribution::Specials}) {
      CAPTURE(std::string(row.op));
      const inputs::Sample sample = sampleOf(row.op, row.call);
      const Inputs all = inputs::materialize(sample, c10::kCPU, 3, {distribution});
      std::vector<c10::IValue> values = all.args;
      for (const auto& named : all.kwargs) values.push_back(named.second);
      const auto check = [&](const c10::IValue& value, size_t argument, size_t item) {
        if (!value.isTensor()) return;
        const at::Tensor one = inputs::materializeTensor(sample, argument, item, c10::kCPU, 3, {distribution});
        CHECK(at::allclose(one, value.toTensor(), 0, 0, /*equal_nan=*/true));
      };
      for (size_t i = 0; i < values.size(); ++i) {
        check(values[i], i, 0);
        if (!values[i].isList()) continue;
        const auto items = values[i].toListRef();
        for (size_t item = 0; item < items.size(); ++item) check(items[item], i, item);
      }
    }
}

TEST_CASE("tensors have the recorded dtype, sizes and strides") {
  struct Row {
    const char* text;
    c10::ScalarType dtype;
    std::vector<int64_t> sizes, strides;
  };
  const Row rows[] = {
      {"T([2, 3], f16)", c10::kHalf, {2, 3}, {3, 1}},
      {"T([2, 3], bf16, stride=(1, 2))", c10::kBFloat16, {2, 3}, {1, 2}},
      {"T([2, 3], f32, stride=(0, 1))", c10::kFloat, {2, 3}, {0, 1}},
      {"T([3, 4], f64, stride=(1, 1))", c10::kDouble, {3, 4}, {1, 1}},
      {"T([], i64)", c10::kLong, {}, {}},
      {"T([0, 5], i32)", c10::kInt, {0, 5}, {5, 1}},
      {"T([4], u8)", c10::kByte, {4}, {1}},
      {"T([4], i8)", c10::kChar, {4}, {1}},
      {"T([4], i16)", c10::kShort, {4}, {1}},
      {"T([4], u16)", c10::kUInt16, {4}, {1}},
      {"T([4], u32)", c10::kUInt32, {4}, {1}},
      {"T([4], u64)", c10::kUInt64, {4}, {1}},
      {"T([4], b8)", c10::kBool, {4}, {1}},
      {"T([4], f8e4m3)", c10::kFloat8_e4m3fn, {4}, {1}},
      {"T([4], f8e5m2)", c10::kFloat8_e5m2, {4}, {1}},
      {"T([4], c32)", c10::kComplexHalf, {4}, {1}},
      {"T([4], c64)", c10::kComplexFloat, {4}, {1}},
      {"T([4], c128)", c10::kComplexDouble, {4}, {1}},
      {"T([700, 500], f16)", c10::kHalf, {700, 500}, {500, 1}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    at::Tensor tensor = firstTensor("aten.neg.default", "((" + std::string(row.text) + ",), {})");
    CHECK((tensor.scalar_type() == row.dtype));
    CHECK(tensor.sizes().equals(row.sizes));
    CHECK(tensor.strides().equals(row.strides));
  }
}

TEST_CASE("overlapping and expanded tensors are no larger than their storage and show one element wherever they repeat it") {
  at::Tensor windows = firstTensor("aten.neg.default", "((T([3, 4], f32, stride=(1, 1)),), {})");
  CHECK(windows.storage().nbytes() == 6 * sizeof(float));
  CHECK(windows[1][0].item<float>() == windows[0][1].item<float>());
  at::Tensor expanded = firstTensor("aten.neg.default", "((T([1000000, 1000000], f32, stride=(0, 0)),), {})");
  CHECK(expanded.storage().nbytes() == sizeof(float));
}

TEST_CASE("the seed decides the data, and each argument has its own") {
  const char* call = "((T([300, 1000], f32), T([300, 1000], f32)), {})";
  Inputs a = made("aten.add.Tensor", call, 1), b = made("aten.add.Tensor", call, 1), c = made("aten.add.Tensor", call, 2);
  CHECK(at::equal(a.args[0].toTensor(), b.args[0].toTensor()));
  CHECK_FALSE(at::equal(a.args[0].toTensor(), c.args[0].toTensor()));
  CHECK_FALSE(at::equal(a.args[0].toTensor(), a.args[1].toTensor()));
}

TEST_CASE("a tensor larger than the period of its data repeats it") {
  at::Tensor flat = firstTensor("aten.neg.default", "((T([600000], f32),), {})");
  CHECK(at::equal(flat.narrow(0, 0, 100), flat.narrow(0, 262139, 100)));
  CHECK(at::equal(flat.narrow(0, 0, 75722), flat.narrow(0, 524278, 75722)));
}

TEST_CASE("the data of a dtype is the rounded data of f32") {
  at::Tensor wide = firstTensor("aten.neg.default", "((T([1000], f32),), {})");
  CHECK(at::equal(firstTensor("aten.neg.default", "((T([1000], f16),), {})"), wide.to(c10::kHalf)));
}

TEST_CASE("other arguments are what IValue calls them") {
  Inputs inputs =
      made("aten.x.default",
           "((None, True, 3, 0.5, (1+2j), 'mean', f16, torch.channels_last, 'cuda', [1, [2.0]], (T([2], f16), None)), "
           "{'layout': torch.strided, 'other': T([3], i32)})");
  CHECK(inputs.args[0].isNone());
  CHECK(inputs.args[1].toBool());
  CHECK(inputs.args[2].toInt() == 3);
  CHECK(inputs.args[3].toDouble() == 0.5);
  CHECK(inputs.args[4].toComplexDouble() == c10::complex<double>(1, 2));
  CHECK(inputs.args[5].toStringRef() == "mean");
  CHECK((inputs.args[6].toScalarType() == c10::kHalf));
  CHECK((inputs.args[7].toMemoryFormat() == c10::MemoryFormat::ChannelsLast));
  CHECK((inputs.args[8].toDevice() == c10::Device(c10::kCPU)));
  CHECK(inputs.args[9].toList().get(1).toList().get(0).toDouble() == 2.0);
  CHECK(inputs.args[10].toList().get(0).toTensor().numel() == 2);
  CHECK(inputs.args[10].toList().get(1).isNone());
  REQUIRE(inputs.kwargs.size() == 2);
  CHECK(inputs.kwargs[0].first == "layout");
  CHECK((inputs.kwargs[0].second.toLayout() == c10::Layout::Strided));
  CHECK((inputs.kwargs[1].second.toTensor().scalar_type() == c10::kInt));
}

TEST_CASE("an argument's data does not depend on whether it is given by position or by keyword") {
  Inputs byPosition = made("aten.gather.default", "((T([4, 9], f16), 1, T([4, 50], i64)), {})");
  Inputs byKeyword = made("aten.gather.default", "((T([4, 9], f16),), {'index': T([4, 50], i64), 'dim': 1})");
  at::Tensor index = byKeyword.kwargs[0].second.toTensor();
  CHECK(at::equal(byPosition.args[2].toTensor(), index));
  CHECK(index.min().item<int64_t>() >= 0);
  CHECK(index.max().item<int64_t>() < 9);
}

TEST_CASE("the gradient of a batch norm in evaluation is given the running statistics as the saved ones") {
  const std::string given = "T([2, 3], f16), T([2, 3], f16), None, T([3], f32), T([3], f32), T([3], f32), T([3], f32), ";
  Inputs evaluated = made("aten.native_batch_norm_backward.default", "((" + given + "False, 0.5, [True, False, False]), {})");
  CHECK(at::equal(evaluated.args[5].toTensor(), evaluated.args[3].toTensor()));
  CHECK(at::allclose(evaluated.args[6].toTensor(), evaluated.args[4].toTensor().add(0.5).rsqrt()));
  Inputs trained = made("aten.native_batch_norm_backward.default", "((" + given + "True, 0.5, [True, False, False]), {})");
  CHECK_FALSE(at::equal(trained.args[5].toTensor(), trained.args[3].toTensor()));
  Inputs nothingSaved = made("aten.native_batch_norm_backward.default",
                             "((T([2, 3], f16), T([2, 3], f16), None, T([3], f32), T([3], f32), T([0], f32), T([0], f32), False, "
                             "0.5, [True, False, False]), {})");
  CHECK(nothingSaved.args[5].toTensor().numel() == 0);
}

TEST_CASE("what cannot be made is unsupported") {
  CHECK_THROWS_WITH_AS(made("aten.neg.default", "((ST([2, 3], f16, torch.sparse_coo, True),), {})"),
                       "sparse tensors are not made: ST([2, 3], f16, torch.sparse_coo, True)", ir::Error);
  CHECK_THROWS_WITH_AS(made("aten.neg.default", "((torch.chunky,), {})"), "torch.chunky is no layout or memory format known here",
                       ir::Error);
}

TEST_CASE("a tensor holds what its sample says, whatever the seed") {
  const char* call = "((T([3], f16), T([2, 2], i64, stride=(1, 2), values=[0, -3, 2, 2])), {})";
  for (uint64_t seed : {1, 2}) {
    const at::Tensor index = made("aten.take.default", call, seed).args[1].toTensor();
    CHECK(index[0][1].item<int64_t>() == 2);
    CHECK(index[1][0].item<int64_t>() == -3);
  }
  CHECK(inputs::materialize(sampleOf("aten.take.default", call), c10::kMeta, 1).args[1].toTensor().sizes() ==
        at::IntArrayRef{2, 2});
}

TEST_CASE("floats that a sample gives are rounded to the dtype, and stay as they are on all sets of data") {
  const auto valuesIn = [](const char* tensor, const inputs::Data& data = {}) {
    const auto made = inputs::materialize(sampleOf("aten.neg.default", fmt::format("(({},), {{}})", tensor)), c10::kCPU, 1, data);
    const at::Tensor values = made.args[0].toTensor().to(c10::kDouble).contiguous();
    return std::vector<double>(values.const_data_ptr<double>(), values.const_data_ptr<double>() + values.numel());
  };
  CHECK(valuesIn("T([3], f16, values=[0.1, 65519.0, 1e-30])") == std::vector<double>{0.0999755859375, 65504, 0});
  CHECK(valuesIn("T([2], bf16, values=[0.1, -3e38])") == std::vector<double>{0.10009765625, ir::round(ir::DType::BF16, -3e38)});
  CHECK(valuesIn("T([2], f8e4m3, values=[0.3, -448])") == std::vector<double>{0.3125, -448});
  CHECK(valuesIn("T([2], f8e5m2, values=[0.3, inf])") == std::vector<double>{0.3125, std::numeric_limits<double>::infinity()});
  CHECK(valuesIn("T([1], f32, values=[0.1])") == std::vector<double>{0.1F});
  CHECK(valuesIn("T([2], f64, values=[0.1, 1e300])") == std::vector<double>{0.1, 1e300});
  CHECK(valuesIn("T([2, 2], f32, stride=(0, 1), values=[1, 2])") == std::vector<double>{1, 2, 1, 2});
  CHECK(std::signbit(valuesIn("T([1], f16, values=[-0.0])")[0]));
  CHECK(std::isnan(valuesIn("T([1], f8e4m3, values=[nan])")[0]));
  for (const inputs::Distribution distribution :
       {inputs::Distribution::Far, inputs::Distribution::Spread, inputs::Distribution::Specials, inputs::Distribution::Zeros})
    CHECK(valuesIn("T([2], f32, values=[0.5, -1])", {distribution, 16}) == std::vector<double>{0.5, -1});
  CHECK_THROWS_WITH_AS(valuesIn("T([1], f32, values=[1e300])"), "model.txt:1:23: expected a number that f32 holds, found '1e300'",
                       ir::Error);
}

TEST_CASE("the smallest integer, which divided by -1 ends a process, is drawn for neither operand of lcm") {
  const inputs::Data specials{inputs::Distribution::Specials};
  const inputs::Sample sample = sampleOf("aten.lcm.default", "((T([5000], i64), T([5000], i64)), {})");
  for (const c10::IValue& operand : inputs::materialize(sample, c10::kCPU, 1, specials).args)
    CHECK(operand.toTensor().min().item<int64_t>() > std::numeric_limits<int64_t>::min());
}

TEST_CASE("a number that the dtype of the run does not hold is refused") {
  const inputs::Sample sample = sampleOf("aten.add.Tensor", "((T([2], f64), T([2], f64, values=[1, -1e300])), {})");
  CHECK_THROWS_WITH_AS(inputs::materialize(inputs::convert(sample, ir::DType::F32, false), c10::kCPU, 1),
                       "aten.add.Tensor: argument other holds -1e+300 at 1, which float32 does not hold", ir::Error);
  CHECK(inputs::materialize(inputs::convert(sample, ir::DType::F64, false), c10::kCPU, 1).args.size() == 2);
}

TEST_CASE("an index that is none is refused with its operator, argument and value") {
  struct Row {
    const char* op;
    const char* call;
    const char* message;
  };
  const Row rows[] = {
      {"aten.gather.default", "((T([3, 7], f16), 1, T([1, 2], i64, values=[6, 7])), {})",
       "aten.gather.default: argument index holds 7 at 1, which is not from 0 to 6"},
      {"aten.index_put.default", "((T([3, 7], f16), [None, T([2], i32, values=[0, -8])], T([2], f16), True), {})",
       "aten.index_put.default: argument indices[1] holds -8 at 1, which is not from -7 to 6"},
      {"aten.nll_loss_forward.default", "((T([2, 7], f16), T([2], i64, values=[-100, 9]), None, 1, -100), {})",
       "aten.nll_loss_forward.default: argument target holds 9 at 1, which is not from 0 to 6"},
      {"aten.scatter_add.default", "((T([7], f16), 0), {'index': T([1], i64, values=[-1]), 'src': T([1], f16)})",
       "aten.scatter_add.default: argument index holds -1 at 0, which is not from 0 to 6"},
  };
  for (const Row& row : rows) CHECK_THROWS_WITH_AS(made(row.op, row.call), row.message, ir::Error);
}

TEST_CASE("every argument of ATen that is named like an index has a range, but those of layouts") {
  const std::set<std::string> names{"index", "indices", "offsets", "offset2bag", "sorter"};
  const std::set<std::string> ofLayouts{"_jagged_to_padded_dense_forward",
                                        "_nested_from_padded_tensor",
                                        "_nested_view_from_buffer",
                                        "_nested_view_from_buffer_copy",
                                        "_nested_view_from_jagged",
                                        "_nested_view_from_jagged_copy",
                                        "_padded_dense_to_jagged_forward",
                                        "_segment_reduce_backward",
                                        "_sparse_coo_tensor_unsafe",
                                        "_spdiags",
                                        "_validate_sparse_coo_tensor_args",
                                        "segment_reduce",
                                        "sparse_coo_tensor"};
  const std::set<std::string> clamped{"_unsafe_masked_index", "_unsafe_masked_index_put_accumulate"};
  std::set<std::string> without;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const auto found = c10::Dispatcher::singleton().findSchema(name);
    if (!name.name.starts_with("aten::") || !found) continue;
    const std::string packet = name.name.substr(6);
    const std::vector<c10::Argument>& arguments = found->schema().arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      const bool isTensor = arguments[i].type()->str().find("Tensor") != std::string::npos;
      const bool isResult = arguments[i].alias_info() != nullptr && arguments[i].alias_info()->isWrite();
      if (!isTensor || isResult || !names.contains(arguments[i].name())) continue;
      inputs::Sample none;
      none.op = "aten." + packet + ".default";
      try {
        if (!inputs::domainOf(inputs::Call(none, 0), i)) without.insert(packet);
      } catch (const ir::Error&) {  // there is a range, but no call that has one
      }
    }
  }
  std::set<std::string> expected = ofLayouts;
  expected.insert(clamped.begin(), clamped.end());
  CHECK(without == expected);
}
