#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "ir/interpret/interpret.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "lowering/schedule/apply.h"
#include "lowering/tensor/lowering.h"
#include "tests/targets.h"

namespace tests {

/// A nest for a target, an H200 where none is named, with what its loops leave in memory.
struct ScheduledNest {
  ir::Target target;
  lowering::LoopNest nest;
  std::vector<ir::Memory> memory, expected;

  /// The first loops of a graph of these lines.
  explicit ScheduledNest(const std::string& lines, const ir::Target& device = hopper())
      : target(device), nest(lowering::analyze(lowering::lower(ir::parseGraph("graph\n" + lines)).front(), device)) {
    for (const ir::Buffer& buffer : nest.loops.buffers) memory.push_back(filled(buffer.type, memory.size()));
    expected = memory;
    ir::interpret(nest.loops, expected);
  }

  /// What is wrong with the kernel of a schedule that the nest can have; empty where nothing is.
  std::string faultOf(const lowering::Schedule& schedule) const {
    try {
      const ir::Kernel kernel = lowering::apply(nest, target, schedule);
      ir::verify(kernel, target);
      std::vector<ir::Memory> found = memory;
      ir::interpret(kernel, found);
      for (std::size_t i = 0; i < found.size(); ++i)
        if (!(distance(found[i], expected[i]) < 2e-3)) return nest.loops.buffers[i].name + " is wrong";
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }

 private:
  /// Numbers of both signs, the same each time.
  static ir::Memory filled(const ir::TensorType& type, std::size_t buffer) {
    ir::Memory memory = ir::Memory::zeros(type.dtype, type.storageElements());
    auto* values = std::get_if<std::vector<double>>(&memory.data);
    for (std::size_t i = 0; values != nullptr && i < values->size(); ++i)
      (*values)[i] = ir::round(type.dtype, static_cast<double>((i * 7 + buffer * 5) % 23) / 8 - 1);
    return memory;
  }
  /// The largest difference, relative where numbers are large; integers, infinities and NaNs are equal or infinitely far apart.
  static double distance(const ir::Memory& a, const ir::Memory& b) {
    const auto* x = std::get_if<std::vector<double>>(&a.data);
    if (x == nullptr) return a.data == b.data ? 0 : INFINITY;
    const auto& y = std::get<std::vector<double>>(b.data);
    double most = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if ((*x)[i] == y[i] || (std::isnan((*x)[i]) && std::isnan(y[i]))) continue;
      const double apart = std::abs((*x)[i] - y[i]) / std::max(1.0, std::abs(y[i]));
      most = std::isnan(apart) ? INFINITY : std::max(most, apart);
    }
    return most;
  }
};

/// Small nests of every kind.
inline const std::vector<std::string>& smallNests() {
  static const std::vector<std::string> all{
      "  in self f16[6, 20]\n  in other f16[20]\n  out0 f16[6, 20] = aten.add.Tensor(self=self, other=other, alpha=1)\n  return "
      "out0\n",
      "  in self f16[5, 48]\n  out0 f16[5, 48] = aten._softmax.default(self=self, dim=-1, half_to_float=False)\n  return out0\n",
      "  in self f16[4, 37]\n  out0 f16[4, 37] = aten._softmax.default(self=self, dim=-1, half_to_float=False)\n  return out0\n",
      "  in self f32[3, 40, 24]\n  out0 f32[3, 24] = aten.sum.dim_IntList(self=self, dim=[1], keepdim=False, dtype=None)\n"
      "  return out0\n",
      "  in self f32[960]\n  out0 f32[] = aten.sum.default(self=self, dtype=None)\n  return out0\n",
      "  in input f32[3, 4, 5, 6]\n  out0 f32[3, 4, 5, 6], out1 f32[4], out2 f32[4] = "
      "aten.native_batch_norm.default(input=input, "
      "weight=None, bias=None, running_mean=None, running_var=None, training=True, momentum=0.1, eps=1e-05)\n"
      "  return out0, out1, out2\n",
      "  in self f16[3, 40, 8]\n  out0 f16[3, 40, 8] = aten._softmax.default(self=self, dim=1, half_to_float=False)\n  return "
      "out0\n",
      "  in self f32[24, 40]\n  in other f32[24, 40] strides (1, 24)\n"
      "  out0 f32[24, 40] = aten.add.Tensor(self=self, other=other, alpha=1)\n  return out0\n",
      "  in self f32[6, 50]\n  out0 f32[6, 50] = aten.cumsum.default(self=self, dim=1, dtype=None)\n  return out0\n",
      "  in self f16[5, 14]\n  out0 f16[7, 16] = aten.constant_pad_nd.default(self=self, pad=[1, 1, 2, 0], value=3)\n"
      "  return out0\n",
      "  in self f32[6, 20]\n  in index i64[9]\n  in source f32[9, 20]\n"
      "  self = aten.index_add_.default(self=self, dim=0, index=index, source=source, alpha=1) writes self\n  return self\n",
      "  in self f16[7, 9] strides (13, 1)\n  self = aten.sigmoid_.default(self=self) writes self\n  return self\n",
      "  in grad_output f16[2, 13, 9] strides (117, 1, 13)\n  in output f16[2, 13, 9]\n"
      "  out0 f16[2, 13, 9] = aten._softmax_backward_data.default(grad_output=grad_output, output=output, dim=1, "
      "input_dtype=f16)\n"
      "  return out0\n",
      "  in self f16[2, 13, 21]\n  in other f16[2, 13, 21] strides (273, 1, 13)\n"
      "  out0 f16[2, 13, 21] = aten.mul.Tensor(self=self, other=other)\n  return out0\n",
      "  in condition b8[33, 17] strides (1, 33)\n  in self f16[33, 17]\n  in other f32[33, 17] strides (1, 33)\n"
      "  out0 f32[33, 17] = aten.where.self(condition=condition, self=self, other=other)\n  return out0\n",
      "  in self f32[2, 50, 12]\n  out0 f32[2, 50, 12] = aten.cumsum.default(self=self, dim=1, dtype=None)\n  return out0\n",
      "  in self f32[3000]\n  out0 f32[3000] = aten.cumsum.default(self=self, dim=0, dtype=None)\n  return out0\n",
      "  in self f32[70, 24]\n  out0 f32[24] = aten.sum.dim_IntList(self=self, dim=[0], keepdim=False, dtype=None)\n"
      "  return out0\n"};
  return all;
}

}  // namespace tests
