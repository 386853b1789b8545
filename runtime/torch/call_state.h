#pragma once

#include <c10/util/Exception.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ir/error.h"
#include "runtime/torch/call.h"
#include "runtime/torch/schema.h"
#include "runtime/torch/state.h"

namespace runtime {

/// A bound call, for the files of runtime/ that speak torch. Everything below runs in c10::InferenceMode.
struct Call::State {
  State(const inputs::Sample& sample, at::Device device, uint64_t seed, const inputs::Data& data);

  void draw(uint64_t seed, const inputs::Data& data);

  /// Runs the operator once on `arguments`, using `stack` as working space; returns the defined tensors among the results,
  /// then the arguments that were written but not returned.
  std::vector<at::Tensor> run(const torch::jit::Stack& arguments, torch::jit::Stack& stack) const;
  /// Appends the written arguments that the operator does not return.
  void appendUnreturned(const torch::jit::Stack& arguments, std::vector<at::Tensor>& outputs) const;
  /// Whether the operator writes an argument.
  bool isWritten(int argument) const;
  /// A further set of arguments.
  void addSet();
  /// Puts the pristine values back into a set.
  void restore(int set = 0);
  /// Puts ATen's generator to the call's seed, where the operator draws from it.
  void seedGenerator() const;
  /// Call::isView(). Schemas do not annotate every alias (`_unsafe_view`): the storages of ATen's results tell.
  bool isView();

  /// A set of arguments: 0 is `arguments`, others are its copies.
  const torch::jit::Stack& set(int number) const { return number == 0 ? arguments : copies.at(static_cast<size_t>(number) - 1); }

  inputs::Sample sample;
  std::string op;
  c10::OperatorHandle handle;
  at::Device device;
  uint64_t seed;
  torch::jit::Stack arguments;
  std::vector<torch::jit::Stack> copies;
  Effects effects;

  /// A set's storages that are written, which lie between guards, and what they are restored to.
  std::vector<std::vector<at::Tensor>> written;  ///< by set
  std::vector<at::Tensor> pristine;

 private:
  std::vector<at::Tensor> writtenOf(const torch::jit::Stack& set) const;
  torch::jit::Stack drawn(const inputs::Data& data) const;
  bool findWhetherView() const;
  std::optional<bool> isView_;
};

/// The call as a graph with the types of its arguments and of `outputs`.
ir::Graph graphOf(const Call::State& call, const TensorList& outputs);

/// Runs `action`, giving what ATen throws the form of our errors: Toolchain where the device failed, OutOfMemory where what it
/// needs does not fit, otherwise Unsupported: it has no kernel for the call, or refuses its arguments. `op` is ATen's operator,
/// or another's: `my::softmax`.
template <typename F>
auto translateErrors(const std::string& op, const F& action) -> decltype(action()) {
  const auto firstLine = [](const c10::Error& error) {
    const std::string text = error.msg().substr(0, error.msg().find('\n'));
    return error.context().empty() ? text : fmt::format("{} ({})", text, fmt::join(error.context(), ", "));
  };
  try {
    return action();
  } catch (const c10::AcceleratorError& error) {
    ir::fail(ir::ErrorKind::Toolchain, "the device failed in {}: {}", op, firstLine(error));
  } catch (const c10::Error& error) {
    if (isOutOfMemory(error)) throw OutOfMemory(fmt::format("{} does not fit into memory: {}", op, firstLine(error)));
    if (op.find("::") != std::string::npos) ir::fail(ir::ErrorKind::Unsupported, "{} refuses the call: {}", op, firstLine(error));
    ir::fail(ir::ErrorKind::Unsupported, "ATen refuses {}: {}", op, firstLine(error));
  }
}

/// Runs `action`; what ATen throws says where that was, `.. (in backward)`, behind where it says already. Kernels throw some
/// errors that are not ATen's, as for numbers that a dtype does not hold: these become its.
template <typename F>
auto namePlace(const std::string& place, const F& action) -> decltype(action()) {
  try {
    return action();
  } catch (const ir::Error&) {
    throw;
  } catch (c10::Error& error) {
    error.add_context("in " + place);
    throw;
  } catch (const std::runtime_error& error) {
    c10::Error named({__func__, __FILE__, __LINE__}, error.what());
    named.add_context("in " + place);
    throw named;
  }
}

}  // namespace runtime
