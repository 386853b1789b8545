#include "runtime/program/draw.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "inputs/random.h"
#include "ir/error.h"

namespace runtime {
namespace {

/// A stream of random numbers for the tensor of a name (its FNV-1a hash).
uint64_t streamOfName(uint64_t seed, const std::string& name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return inputs::randomBits(seed, hash);
}

/// Fills a new contiguous tensor of the host with what `element` makes of 64 random bits each.
template <typename T, typename F>
at::Tensor filled(at::IntArrayRef sizes, at::ScalarType dtype, uint64_t stream, const F& element) {
  constexpr int64_t grain = 16384;
  at::Tensor tensor = at::empty(sizes, dtype);
  T* values = tensor.mutable_data_ptr<T>();
  at::parallel_for(0, tensor.numel(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) values[i] = element(inputs::randomBits(stream, static_cast<uint64_t>(i)));
  });
  return tensor;
}

at::Tensor normal(at::IntArrayRef sizes, uint64_t stream, double deviation) {
  return filled<float>(sizes, at::kFloat, stream, [&](uint64_t bits) {
    return static_cast<float>(deviation * inputs::normalQuantile(inputs::uniform(bits)));
  });
}

at::Tensor drawn(const StateTensor& tensor, uint64_t stream) {
  constexpr double ofMatrices = 0.02;
  constexpr size_t rankOfKernels = 4;
  const std::vector<int64_t>& sizes = tensor.sizes;
  if (!at::isFloatingType(tensor.dtype)) return at::zeros(sizes, tensor.dtype);
  if (sizes.size() >= rankOfKernels && tensor.role == Role::Parameter) {
    const int64_t terms = std::accumulate(sizes.begin() + 1, sizes.end(), int64_t{1}, std::multiplies<>());
    return normal(sizes, stream, std::sqrt(2.0 / static_cast<double>(std::max<int64_t>(1, terms))));
  }
  if (sizes.size() >= 2) return normal(sizes, stream, ofMatrices);
  const std::string last = tensor.name.substr(tensor.name.rfind('.') + 1);
  const bool isOne = last == "running_var" || (last == "weight" && tensor.sizes.size() == 1);
  // Who leaves a bias of zeros out makes no difference that could be seen.
  if (tensor.role == Role::Parameter && !isOne) return normal(sizes, stream, ofMatrices);
  return at::full(tensor.sizes, isOne ? 1.0 : 0.0, tensor.dtype);
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
    state.back().copy_(tensor.value.defined() ? tensor.value : drawn(tensor, streamOfName(seed, tensor.name)));
    state.back().set_requires_grad(tensor.requiresGrad && state.back().is_floating_point());
  }
  return state;
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
      inputs.push_back(normal(sizes[i], stream, 1).to(at::TensorOptions(device).dtype(typeOf(input.dtype, dtype))));
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
    inputs.push_back(filled<int64_t>(sizes[i], at::kLong, stream, [&](uint64_t bits) {
                       return least + inputs::integerBelow(bits, *bound - least);
                     }).to(at::TensorOptions(device).dtype(input.dtype)));
  }
  return inputs;
}

}  // namespace runtime
