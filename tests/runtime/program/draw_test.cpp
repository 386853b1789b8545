#include "runtime/program/draw.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <doctest/doctest.h>

#include "inputs/random.h"
#include "runtime/cpu/cpu_device.h"

using namespace runtime;

namespace {

/// A program that has one matrix.
class OneMatrix : public Program {
 public:
  OneMatrix(at::ScalarType dtype, int64_t rows, int64_t columns, bool isTransposed)
      : state_{{"weight",
                Role::Parameter,
                dtype,
                {rows, columns},
                isTransposed ? std::vector<int64_t>{1, rows} : std::vector<int64_t>{columns, 1}}} {}

  const std::vector<StateTensor>& state() const override { return state_; }
  const std::vector<ProgramInput>& inputs() const override { return inputs_; }
  const std::vector<std::string>& outputNames() const override { return names_; }
  std::vector<at::Tensor> run(const std::vector<at::Tensor>& state, const std::vector<at::Tensor>&) const override {
    return state;
  }
  std::optional<std::string> bakedDtype() const override { return std::nullopt; }
  std::unique_ptr<Program> inFloat64() const override { return nullptr; }

 private:
  std::vector<StateTensor> state_;
  std::vector<ProgramInput> inputs_;
  std::vector<std::string> names_;
};

/// Its elements, one by one, as float.
at::Tensor elementsOf(uint64_t seed, const std::vector<int64_t>& sizes) {
  uint64_t name = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : std::string("weight")) name = (name ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  const uint64_t stream = inputs::randomBits(seed, name);
  const at::Tensor all = at::empty(sizes, at::kFloat);
  auto* values = all.mutable_data_ptr<float>();
  for (int64_t i = 0; i < all.numel(); ++i)
    values[i] =
        static_cast<float>(0.02 * inputs::normalQuantile(inputs::uniform(inputs::randomBits(stream, static_cast<uint64_t>(i)))));
  return all;
}

}  // namespace

TEST_SUITE("drawing of programs") {
  TEST_CASE(
      "state has the same bits on any number of threads, of any strides, and drawn anew: floats that are rounded to its dtype") {
    const std::vector<int64_t> sizes{301, 333};  // 100,233 numbers; a thread draws 16,384 at a time
    const at::Tensor first = elementsOf(5, sizes), second = elementsOf(6, sizes);
    const int threads = at::get_num_threads();
    for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf, at::kDouble})
      for (const bool isTransposed : {false, true})
        for (const int some : {1, threads}) {
          CAPTURE(std::string(at::toString(dtype)));
          setThreads(some);
          const OneMatrix program(dtype, sizes[0], sizes[1], isTransposed);
          const std::vector<at::Tensor> state = drawState(program, 5, at::kCPU);
          CHECK(at::equal(state[0], first.to(dtype)));
          redrawState(program, 6, state);
          CHECK(at::equal(state[0], second.to(dtype)));
        }
    setThreads(threads);
  }
}
