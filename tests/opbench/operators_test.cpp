// One line an operator and shape: what ATen computes, the interpreter must find from the loops and from both schedules, and
// the CPU's machine code must find as well; the CUDA kernel must compile. Each at float16 as recorded, bfloat16 and float32.
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "codegen/cuda.h"
#include "inputs/convert.h"
#include "inputs/materialize.h"
#include "ir/interpret.h"
#include "ir/verify.h"
#include "lowering/lowering.h"
#include "lowering/schedule.h"
#include "opbench/check.h"
#include "runtime/call_state.h"
#include "runtime/callable.h"
#include "runtime/device.h"
#include "runtime/nvrtc.h"
#include "tests/runtime/sample.h"
#include "tests/targets.h"

namespace {

using ir::DType;

/// The tensor's storage from its first element on, as the interpreter holds it.
ir::Memory memoryOf(const at::Tensor& tensor, const ir::TensorType& type) {
  const DType dtype = type.dtype == DType::C32 ? DType::F16 : type.dtype;
  ir::Memory memory = ir::Memory::zeros(dtype, type.storageElements() * (dtype == type.dtype ? 1 : 2));
  if (dtype != type.dtype) return memory;
  const at::Tensor flat = at::as_strided(tensor, {type.storageElements()}, {1});
  if (auto* reals = std::get_if<std::vector<double>>(&memory.data)) {
    const at::Tensor wide = flat.to(at::kDouble).contiguous();
    std::memcpy(reals->data(), wide.const_data_ptr(), reals->size() * sizeof(double));
  } else {
    auto& integers = std::get<std::vector<int64_t>>(memory.data);
    const at::Tensor wide = flat.to(at::kLong).contiguous();
    std::memcpy(integers.data(), wide.const_data_ptr(), integers.size() * sizeof(int64_t));
  }
  return memory;
}

/// A tensor of this type with the interpreter's elements.
at::Tensor tensorOf(const ir::Memory& memory, const ir::TensorType& type) {
  at::Tensor tensor = at::empty_strided(type.sizes, type.strides, at::TensorOptions().dtype(inputs::scalarType(type.dtype)));
  at::Tensor flat = at::as_strided(tensor, {type.storageElements()}, {1});
  if (const auto* reals = std::get_if<std::vector<double>>(&memory.data)) {
    flat.copy_(at::from_blob(const_cast<double*>(reals->data()), {type.storageElements()}, at::kDouble));
  } else {
    const auto& integers = std::get<std::vector<int64_t>>(memory.data);
    flat.copy_(at::from_blob(const_cast<int64_t*>(integers.data()), {type.storageElements()}, at::kLong));
  }
  return tensor;
}

/// The memory of a graph's values: arguments as they are, results 0.
std::vector<ir::Memory> memoryOf(const ir::Graph& graph, runtime::Call& call, const ir::Loops& loops) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& argument : call.state().arguments) {
    if (argument.isTensor() && argument.toTensor().defined()) tensors.push_back(argument.toTensor());
  }
  std::vector<ir::Memory> memory;
  for (const ir::Buffer& buffer : loops.buffers) {
    const auto input = std::find(graph.inputs.begin(), graph.inputs.end(), buffer.value);
    if (input == graph.inputs.end()) {
      memory.push_back(ir::Memory::zeros(buffer.type.dtype, buffer.type.storageElements()));
    } else {
      memory.push_back(memoryOf(tensors.at(static_cast<size_t>(input - graph.inputs.begin())), buffer.type));
    }
  }
  return memory;
}

/// Equal to the bit, but for the payloads of NaN.
bool same(const ir::Memory& a, const ir::Memory& b) {
  const auto* x = std::get_if<std::vector<double>>(&a.data);
  if (x == nullptr) return a.data == b.data;
  const auto& y = std::get<std::vector<double>>(b.data);
  for (size_t i = 0; i < x->size(); ++i) {
    if ((*x)[i] != y[i] && !(std::isnan((*x)[i]) && std::isnan(y[i]))) return false;
  }
  return true;
}

void checkInterpreted(const ir::Graph& graph, runtime::Call& call, const opbench::Truth& truth, opbench::Rule rule) {
  const auto all = lowering::lower(graph);
  REQUIRE(all.size() == 1);
  const ir::Loops& loops = all[0];
  ir::verify(loops);
  std::vector<ir::Memory> meaning = memoryOf(graph, call, loops);
  const std::vector<ir::Memory> before = meaning;
  ir::interpret(loops, meaning);
  for (const ir::Target& target : {tests::hopper(), tests::avx512()}) {
    const ir::Kernel kernel = lowering::schedule(loops, target);
    ir::verify(kernel);
    std::vector<ir::Memory> memory = before;
    ir::interpret(kernel, memory);
    for (size_t i = 0; i < memory.size(); ++i) CHECK(same(memory[i], meaning[i]));
  }
  if (ir::isComplex(graph.values[static_cast<size_t>(graph.outputs.at(0))].type.dtype)) return;
  std::vector<at::Tensor> found;
  for (int output : graph.outputs) {
    const auto buffer =
        std::find_if(loops.buffers.begin(), loops.buffers.end(), [&](const ir::Buffer& b) { return b.value == output; });
    found.push_back(tensorOf(meaning[static_cast<size_t>(buffer - loops.buffers.begin())], buffer->type));
  }
  const opbench::Verdict verdict = opbench::check(runtime::makeTensorList(std::move(found)), truth, rule);
  CHECK_MESSAGE(verdict.ok, "interpreted: ", verdict.message);
}

void checkCompiles(const ir::Graph& graph) {
  static const runtime::Nvrtc nvrtc;
  const runtime::Cache none("");
  for (const ir::Loops& loops : lowering::lower(graph)) {
    const ir::Target target = tests::hopper();
    CHECK_FALSE(nvrtc.compile(codegen::emitCuda(lowering::schedule(loops, target), target), none).cubin.empty());
  }
}

void compareAs(const std::string& op, const std::string& recorded, DType dtype) {
  CAPTURE(op);
  CAPTURE(recorded);
  CAPTURE(ir::name(dtype));
  const c10::InferenceMode guard;
  static const std::unique_ptr<runtime::Device> device = runtime::Device::open("cpu", 1);
  const runtime::Cache none("");
  runtime::Call call(inputs::convert(tests::sample(op, recorded), dtype, false), *device, 1);
  const opbench::Truth truth{call.reference(), call.referenceInFloat64()};
  const ir::Graph graph = call.graph(truth.eager);
  call.restore();
  const opbench::Rule rule = opbench::ruleFor(op);
  checkInterpreted(graph, call, truth, rule);
  checkCompiles(graph);
  const auto callable = runtime::plannedCallable(call, runtime::makePlan(graph, device->target()), *device, none);
  CHECK(callable->kind == runtime::Kind::Generated);
  const auto trial = device->prepare(*callable, call);
  const opbench::Verdict verdict = opbench::check(trial->run(), truth, rule);
  CHECK_MESSAGE(verdict.ok, "compiled: ", verdict.message);
}

void compare(const std::string& op, const std::string& recorded) {
  for (DType dtype : {DType::F16, DType::BF16, DType::F32}) compareAs(op, recorded, dtype);
}

TEST_CASE("arithmetic") {
  compare("aten.add.Tensor", "((T([3, 5, 7], f16), T([5, 1], f16)), {'alpha': 2})");
  compare("aten.add_.Tensor", "((T([3, 40], f16), T([3, 40], f16)), {})");
  compare("aten.add.Scalar", "((T([33], i64), 3), {})");
  compare("aten.sub.Tensor", "((T([8, 16], f32), T([8, 1], f16)), {})");
  compare("aten.rsub.Scalar", "((T([9, 5], f16), 1.0), {})");
  compare("aten.mul.Tensor", "((T([2, 8, 7, 7], f16), T([2, 8, 1, 1], f16)), {})");
  compare("aten.mul.Tensor", "((T([4, 6, 10], f16, stride=(60, 1, 6)), T([], f32)), {})");
  compare("aten.mul.Tensor", "((T([12], b8), T([12], b8)), {})");
  compare("aten.mul_.Tensor", "((T([17], f16), T([], f16)), {})");
  compare("aten.mul.Scalar", "((T([6, 6], f16), 0.125), {})");
  compare("aten.div.Tensor", "((T([24, 5], f16), T([], f16)), {})");
  compare("aten.div.Tensor", "((T([10], i64), T([10], i64)), {})");
  compare("aten.div.Scalar", "((T([4, 8, 3, 3], f16, stride=(8, 1, 0, 0)), 9), {})");
  compare("aten.div.Tensor_mode", "((T([40], f16), T([40], f16)), {'rounding_mode': 'floor'})");
  compare("aten.div.Tensor_mode", "((T([40], i64), T([40], i64)), {'rounding_mode': 'trunc'})");
  compare("aten.floor_divide.default", "((T([40], i64), 7), {})");
  compare("aten.floor_divide.default", "((T([40], f32), T([40], f32)), {})");
  compare("aten.remainder.Scalar", "((T([40], i64), -3), {})");
  compare("aten.remainder.Tensor", "((T([40], f32), T([40], f32)), {})");
  compare("aten.fmod.Scalar", "((T([40], f16), 1.5), {})");
  compare("aten.addcmul.default",
          "((T([1, 1, 12], f16), T([1, 1, 12], f16), T([5, 7, 12], f16, stride=(84, 1, 7))), {'value': 0.5})");
  compare("aten.addcdiv.default", "((T([12], f32), T([12], f32), T([12], f32)), {})");
  compare("aten.minimum.default", "((T([2, 1, 1, 9], f16), T([2, 3, 4, 9], f32)), {})");
  compare("aten.maximum.default", "((T([33], f16), T([], f32)), {})");
  compare("aten.clamp.default", "((T([50, 2], f16, stride=(4, 2)), 0, 800), {})");
  compare("aten.clamp.default", "((T([50], f16), None, 0.5), {})");
  compare("aten.clamp_min.default", "((T([50], i64), 1), {})");
  compare("aten.clamp_max.default", "((T([50], f16), 0.25), {})");
  compare("aten.pow.Scalar", "((10000, T([32], f32)), {})");
  compare("aten.pow.Tensor_Tensor", "((T([32], f32), T([32], f32)), {})");
  for (const char* exponent : {"0.5", "1", "2", "3", "-0.5", "-1", "-2", "2.5"}) {
    compare("aten.pow.Tensor_Scalar", fmt::format("((T([40], f16), {}), {{}})", exponent));
  }
}

TEST_CASE("elementary functions") {
  for (const char* op :
       {"neg",   "abs", "sgn",   "sign", "square", "positive", "reciprocal", "floor", "ceil", "trunc", "round",  "sqrt",
        "rsqrt", "exp", "expm1", "log",  "log2",   "log1p",    "sin",        "cos",   "erf",  "tanh",  "sigmoid"}) {
    compare(fmt::format("aten.{}.default", op), "((T([7, 19], f16),), {})");
  }
  compare("aten.neg.default", "((T([3, 4], i32),), {})");
  compare("aten.sqrt.default", "((T([12], i64),), {})");
}

TEST_CASE("comparisons, logic and bits") {
  for (const char* op : {"eq", "ne", "lt", "le", "gt", "ge"}) {
    compare(fmt::format("aten.{}.Tensor", op), "((T([6, 1, 9], f16), T([5, 9], f16)), {})");
    compare(fmt::format("aten.{}.Scalar", op), "((T([6, 9], i64), 1), {})");
  }
  compare("aten.gt.Tensor", "((T([50, 4], f32), T([4], f16)), {})");
  compare("aten.eq.Scalar", "((T([2, 5, 3, 7], f16, stride=(0, 7, 0, 1)), 1), {})");
  compare("aten.isnan.default", "((T([40], f16),), {})");
  compare("aten.isinf.default", "((T([40], f16),), {})");
  compare("aten.isinf.default", "((T([40], i64),), {})");
  for (const char* op : {"logical_and", "logical_or", "logical_xor"}) {
    compare(fmt::format("aten.{}.default", op), "((T([40], b8), T([40], f16)), {})");
  }
  compare("aten.logical_and_.default", "((T([40], b8), T([40], b8)), {})");
  compare("aten.logical_not.default", "((T([40], f16),), {})");
  for (const char* op : {"bitwise_and", "bitwise_or", "bitwise_xor"}) {
    compare(fmt::format("aten.{}.Tensor", op), "((T([6, 1, 5], b8, stride=(1, 30, 6)), T([1, 5, 5], b8)), {})");
    compare(fmt::format("aten.{}.Tensor", op), "((T([40], i64), T([40], i64)), {})");
  }
  compare("aten.bitwise_not.default", "((T([40], b8),), {})");
  compare("aten.bitwise_not.default", "((T([40], i32),), {})");
}

TEST_CASE("activations and their gradients") {
  for (const char* op : {"relu", "relu6", "silu", "hardswish", "hardsigmoid", "hardtanh", "leaky_relu", "elu"}) {
    compare(fmt::format("aten.{}.default", op), "((T([5, 41], f16),), {})");
  }
  for (const char* op : {"relu_", "silu_", "hardswish_", "hardtanh_", "leaky_relu_", "sigmoid_"}) {
    compare(fmt::format("aten.{}.default", op), "((T([5, 41], f16),), {})");
  }
  for (const char* approximate : {"none", "tanh"}) {
    compare("aten.gelu.default", fmt::format("((T([5, 41], f16),), {{'approximate': '{}'}})", approximate));
    compare("aten.gelu_backward.default",
            fmt::format("((T([5, 41], f16), T([5, 41], f16)), {{'approximate': '{}'}})", approximate));
  }
  for (const char* op : {"silu_backward", "sigmoid_backward", "tanh_backward", "hardswish_backward", "hardsigmoid_backward"}) {
    compare(fmt::format("aten.{}.default", op), "((T([5, 41], f16), T([5, 41], f16)), {})");
  }
  compare("aten.threshold.default", "((T([5, 41], f16), 0.5, 2.0), {})");
  compare("aten.threshold_backward.default", "((T([5, 41], f16), T([5, 41], f16), 0), {})");
  compare("aten.hardtanh_backward.default", "((T([5, 41], f16), T([5, 41], f16), 0.0, 6.0), {})");
  compare("aten.leaky_relu_backward.default", "((T([5, 41], f16), T([5, 41], f16), 0.2, False), {})");
  compare("aten.elu_backward.default", "((T([5, 41], f16), 1.67, 1.05, 1, False, T([5, 41], f16)), {})");
  compare("aten.elu_backward.default", "((T([5, 41], f16, stride=(0, 0)), 1.67, 1.05, 1, True, T([5, 41], f16)), {})");
  compare("aten.mse_loss_backward.default", "((T([], f16), T([3, 40], f16), T([3, 40], f16), 1), {})");
}

TEST_CASE("selection, filling and conversion") {
  compare("aten.where.self", "((T([1, 1, 9, 9], b8), T([2, 3, 9, 9], f16), T([], f16)), {})");
  compare("aten.masked_fill.Scalar", "((T([2, 3, 9], f16), T([2, 1, 9], b8), -65504.0), {})");
  compare("aten.masked_fill.Tensor", "((T([2, 3, 9], f16), T([2, 1, 9], b8), T([], f32)), {})");
  compare("aten.masked_fill_.Scalar", "((T([2, 5, 3, 7], f16, stride=(210, 14, 70, 1)), T([2, 5, 3, 7], b8), -inf), {})");
  compare("aten.fill_.Scalar", "((T([5, 7], f16), 3), {})");
  compare("aten.fill_.Tensor", "((T([5, 7], f16), T([], f16)), {})");
  for (const char* dtype : {"f32", "f16", "bf16", "f64", "i64", "i32", "u8", "b8", "c32"}) {
    compare("aten._to_copy.default", fmt::format("((T([3, 37], f16),), {{'dtype': {}}})", dtype));
  }
  compare("aten._to_copy.default", "((T([3, 37], i64),), {'dtype': f16})");
  compare("aten.tril.default", "((T([11, 11], f16), -1), {})");
  compare("aten.triu.default", "((T([2, 5, 11], f16), 1), {})");
}

}  // namespace
