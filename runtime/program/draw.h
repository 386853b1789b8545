#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/program/program.h"

namespace runtime {

/// The state of a program on a device, made outside of inference mode, with requires_grad as the archive has it: values of the
/// file where it has them, else drawn by name from the seed. Vectors called `weight` and running variances are 1, other vectors
/// and single numbers that are no parameters 0; matrices and the other parameters are of a normal distribution with a deviation
/// of 0.02. Kernels of convolutions have one of sqrt(2 / terms of their sum), which keeps what flows through many of them in
/// range (He et al., 2015). Integers are 0. Floating tensors become `dtype`, where one is given. Equal seeds give equal elements
/// on any device.
std::vector<at::Tensor> drawState(const Program& program, uint64_t seed, at::Device device,
                                  std::optional<at::ScalarType> dtype = std::nullopt);
/// Draws the same into tensors that are there, in their dtypes and strides.
void redrawState(const Program& program, uint64_t seed, const std::vector<at::Tensor>& state);

/// Integers from `least` to below `bound`.
struct IntegerRange {
  int64_t least = 0, bound = 0;
};

/// Inputs of these sizes: integers evenly from the input's least to below its bound, or the bound of `ranges` by its name;
/// numbers of the standard normal distribution. Error: Input, for integers whose bound is not known.
std::vector<at::Tensor> drawInputs(const Program& program, const std::vector<std::vector<int64_t>>& sizes, uint64_t seed,
                                   at::Device device, std::optional<at::ScalarType> dtype = std::nullopt,
                                   const std::map<std::string, IntegerRange>& ranges = {});

}  // namespace runtime
