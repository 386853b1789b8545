#include "runtime/program/draw.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "inputs/normals.h"
#include "inputs/random.h"
#include "ir/error.h"
#include "runtime/torch/parallel.h"

namespace runtime {
namespace {

/// A stream of random numbers for the tensor of a name (its FNV-1a hash).
uint64_t streamOfName(uint64_t seed, const std::string& name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return inputs::randomBits(seed, hash);
}

/// Numbers `first` on of a normal distribution, in a contiguous tensor of the host.
void fillNormal(const at::Tensor& tensor, uint64_t stream, int64_t first, double deviation) {
  constexpr int64_t piece = 16384;
  parallelFor(tensor.numel(), piece, [&](int64_t begin, int64_t end) {
    std::vector<double> numbers(piece);
    std::vector<float> rounded(piece);  // other dtypes than float are rounded twice
    for (int64_t start = begin; start < end; start += piece) {
      const auto length = static_cast<size_t>(std::min(piece, end - start));
      inputs::drawNormals(stream, static_cast<uint64_t>(first + start), std::span(numbers).first(length));
      float* target = tensor.scalar_type() == at::kFloat ? tensor.mutable_data_ptr<float>() + start : rounded.data();
      std::transform(numbers.begin(), numbers.begin() + static_cast<ptrdiff_t>(length), target,
                     [&](double number) { return static_cast<float>(deviation * number); });
      if (target != rounded.data()) continue;
      const auto count = static_cast<int64_t>(length);
      tensor.narrow(0, start, count).copy_(at::from_blob(rounded.data(), {count}, at::kFloat));
    }
  });
}

/// Elements go to a GPU while the next ones are drawn.
void upload(const at::Tensor& tensor, uint64_t stream, double deviation) {
  const int64_t piece = (int64_t{16} << 20) / tensor.element_size();
  for (int64_t start = 0; start < tensor.numel(); start += piece) {
    const int64_t length = std::min(piece, tensor.numel() - start);
    const at::Tensor host = at::empty({piece}, at::TensorOptions(tensor.scalar_type()).pinned_memory(true)).narrow(0, 0, length);
    fillNormal(host, stream, start, deviation);
    tensor.narrow(0, start, length).copy_(host, /*non_blocking=*/true);
  }
}

void drawNormal(const at::Tensor& tensor, uint64_t stream, double deviation) {
  if (tensor.is_contiguous() && tensor.is_cpu()) return fillNormal(tensor.view({-1}), stream, 0, deviation);
  if (tensor.is_contiguous() && tensor.is_cuda()) return upload(tensor.view({-1}), stream, deviation);
  const at::Tensor host = at::empty(tensor.sizes(), tensor.scalar_type());
  fillNormal(host.view({-1}), stream, 0, deviation);
  tensor.copy_(host);
}

/// Integers of the host.
at::Tensor integers(at::IntArrayRef sizes, uint64_t stream, int64_t least, int64_t bound) {
  constexpr int64_t grain = 16384;
  at::Tensor tensor = at::empty(sizes, at::kLong);
  auto* values = tensor.mutable_data_ptr<int64_t>();
  parallelFor(tensor.numel(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      values[i] = least + inputs::integerBelow(inputs::randomBits(stream, static_cast<uint64_t>(i)), bound - least);
  });
  return tensor;
}

void draw(const StateTensor& tensor, uint64_t stream, const at::Tensor& target) {
  constexpr double ofMatrices = 0.02;
  constexpr size_t rankOfKernels = 4;
  const std::vector<int64_t>& sizes = tensor.sizes;
  if (!at::isFloatingType(tensor.dtype)) {
    target.zero_();
    return;
  }
  if (sizes.size() >= rankOfKernels && tensor.role == Role::Parameter) {
    const int64_t terms = std::accumulate(sizes.begin() + 1, sizes.end(), int64_t{1}, std::multiplies<>());
    return drawNormal(target, stream, std::sqrt(2.0 / static_cast<double>(std::max<int64_t>(1, terms))));
  }
  if (sizes.size() >= 2) return drawNormal(target, stream, ofMatrices);
  const std::string last = tensor.name.substr(tensor.name.rfind('.') + 1);
  const bool isOne = last == "running_var" || (last == "weight" && tensor.sizes.size() == 1);
  // Who leaves a bias of zeros out makes no difference that could be seen.
  if (tensor.role == Role::Parameter && !isOne) return drawNormal(target, stream, ofMatrices);
  target.fill_(isOne ? 1.0 : 0.0);
}

at::ScalarType typeOf(at::ScalarType own, std::optional<at::ScalarType> asked) {
  return asked && at::isFloatingType(own) ? *asked : own;
}

}  // namespace

std::vector<at::Tensor> drawState(const Program& program, uint64_t seed, at::Device device, std::optional<at::ScalarType> dtype) {
  const c10::InferenceMode normalMode(false);
  const at::NoGradGuard noGrad;
  std::vector<at::Tensor> state;
  for (const StateTensor& tensor : program.state()) {
    const auto options = at::TensorOptions(device).dtype(typeOf(tensor.dtype, dtype));
    state.push_back(at::empty_strided(tensor.sizes, tensor.strides, options));
  }
  redrawState(program, seed, state);
  for (size_t i = 0; i < state.size(); ++i)
    state[i].set_requires_grad(program.state()[i].requiresGrad && state[i].is_floating_point());
  return state;
}

void redrawState(const Program& program, uint64_t seed, const std::vector<at::Tensor>& state) {
  const c10::InferenceMode normalMode(false);
  const at::NoGradGuard noGrad;
  for (size_t i = 0; i < state.size(); ++i) {
    const StateTensor& tensor = program.state()[i];
    if (tensor.value.defined())
      state[i].copy_(tensor.value);
    else
      draw(tensor, streamOfName(seed, tensor.name), state[i]);
  }
}

std::vector<at::Tensor> drawInputs(const Program& program, const std::vector<std::vector<int64_t>>& sizes, uint64_t seed,
                                   at::Device device, std::optional<at::ScalarType> dtype,
                                   const std::map<std::string, IntegerRange>& ranges) {
  ir::require(sizes.size() == program.inputs().size(), "sizes of {} inputs for {}", sizes.size(), program.inputs().size());
  const c10::InferenceMode normalMode(false);
  std::vector<at::Tensor> inputs;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const ProgramInput& input = program.inputs()[i];
    const uint64_t stream = streamOfName(seed, "input " + input.name);
    if (at::isFloatingType(input.dtype)) {
      inputs.push_back(at::empty(sizes[i], at::TensorOptions(device).dtype(typeOf(input.dtype, dtype))));
      drawNormal(inputs.back(), stream, 1);
      continue;
    }
    const auto given = ranges.find(input.name);
    const std::optional<int64_t> bound = given != ranges.end()      ? std::optional(given->second.bound)
                                         : input.dtype == at::kBool ? std::optional<int64_t>(2)
                                                                    : input.bound;
    const int64_t least = given != ranges.end() ? given->second.least : input.least;
    if (bound && *bound <= least)
      ir::fail(ir::ErrorKind::Input, "the integers of input {} cannot be from {} to below {}", input.name, least, *bound);
    if (!bound)
      ir::fail(ir::ErrorKind::Input, "nothing says how large the integers of input {} may be: give --input-range {}=0..N",
               input.name, input.name);
    inputs.push_back(integers(sizes[i], stream, least, *bound).to(at::TensorOptions(device).dtype(input.dtype)));
  }
  return inputs;
}

}  // namespace runtime
