#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <vector>

#include "codegen/llvm/emit.h"
#include "ir/interpret/interpret.h"
#include "ir/kernel.h"
#include "runtime/build/orc.h"

namespace tests {

/// The bytes of one element of a floating dtype of at most 16 bits.
inline uint64_t encodeSmall(ir::DType dtype, double value) {
  const int mantissa = dtype == ir::DType::F16 ? 10 : dtype == ir::DType::BF16 ? 7 : dtype == ir::DType::F8E4M3 ? 3 : 2;
  const int bias = dtype == ir::DType::BF16 ? 127 : dtype == ir::DType::F8E4M3 ? 7 : 15;
  const int bits = static_cast<int>(8 * ir::sizeOf(dtype));
  const uint64_t sign = std::signbit(value) ? uint64_t{1} << (bits - 1) : 0;
  const uint64_t top = (uint64_t{1} << (bits - 1)) - (uint64_t{1} << mantissa);
  if (std::isnan(value)) return sign | ((uint64_t{1} << (bits - 1)) - 1);
  if (std::isinf(value)) return sign | top;
  if (value == 0) return sign;
  const int exponent = std::max(std::ilogb(value), 1 - bias);
  const auto units = static_cast<uint64_t>(std::ldexp(std::abs(value), mantissa - exponent));
  return sign | ((static_cast<uint64_t>(exponent + bias - 1) << mantissa) + units);
}

inline double decodeSmall(ir::DType dtype, uint64_t code) {
  const int mantissa = dtype == ir::DType::F16 ? 10 : dtype == ir::DType::BF16 ? 7 : dtype == ir::DType::F8E4M3 ? 3 : 2;
  const int bias = dtype == ir::DType::BF16 ? 127 : dtype == ir::DType::F8E4M3 ? 7 : 15;
  const int bits = static_cast<int>(8 * ir::sizeOf(dtype));
  const uint64_t magnitude = code & ((uint64_t{1} << (bits - 1)) - 1);
  const double sign = (code >> (bits - 1)) != 0 ? -1 : 1;
  const auto exponent = static_cast<int>(magnitude >> mantissa);
  const uint64_t fraction = magnitude & ((uint64_t{1} << mantissa) - 1);
  const int highest = (1 << (bits - 1 - mantissa)) - 1;
  if (dtype == ir::DType::F8E4M3 ? magnitude == 0x7f : exponent == highest && fraction != 0) return std::copysign(NAN, sign);
  if (dtype != ir::DType::F8E4M3 && exponent == highest) return sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<double>(fraction), 1 - bias - mantissa);
  return sign * std::ldexp(1 + std::ldexp(static_cast<double>(fraction), -mantissa), exponent - bias);
}

/// What a kernel is given for a Memory, and back.
inline std::vector<std::byte> encode(const ir::Memory& memory) {
  const auto size = static_cast<size_t>(ir::sizeOf(memory.dtype));
  const auto count = std::visit([](const auto& data) { return data.size(); }, memory.data);
  std::vector<std::byte> bytes(size * count);
  for (size_t i = 0; i < count; ++i) {
    uint64_t code = 0;
    if (const auto* integers = std::get_if<std::vector<int64_t>>(&memory.data)) {
      code = static_cast<uint64_t>((*integers)[i]);
    } else {
      const double value = std::get<std::vector<double>>(memory.data)[i];
      code = size < 4    ? encodeSmall(memory.dtype, value)
             : size == 4 ? std::bit_cast<uint32_t>(static_cast<float>(value))
                         : std::bit_cast<uint64_t>(value);
    }
    std::memcpy(&bytes[i * size], &code, size);
  }
  return bytes;
}
inline void decode(const std::vector<std::byte>& bytes, ir::Memory& memory) {
  const auto size = static_cast<size_t>(ir::sizeOf(memory.dtype));
  for (size_t i = 0; i < bytes.size() / size; ++i) {
    uint64_t code = 0;
    std::memcpy(&code, &bytes[i * size], size);
    if (auto* integers = std::get_if<std::vector<int64_t>>(&memory.data)) {
      (*integers)[i] = ir::wrap(memory.dtype, static_cast<int64_t>(code));
    } else {
      std::get<std::vector<double>>(memory.data)[i] = size < 4    ? decodeSmall(memory.dtype, code)
                                                      : size == 4 ? std::bit_cast<float>(static_cast<uint32_t>(code))
                                                                  : std::bit_cast<double>(code);
    }
  }
}

/// Compiles a kernel without a cache and runs all of it on `memory`, the tasks one by one, then what follows them.
inline void run(runtime::Orc& orc, const ir::Kernel& kernel, const ir::Target& target, std::vector<ir::Memory>& memory) {
  const ir::KernelSource program = codegen::emitLlvm(kernel, target);
  const runtime::HostCode code = orc.compile(program, runtime::Cache());
  std::vector<std::vector<std::byte>> storage;
  for (const ir::Memory& one : memory) storage.push_back(encode(one));
  std::vector<void*> pointers;
  for (auto& bytes : storage) pointers.push_back(bytes.data());
  std::vector<std::byte> workspace(static_cast<size_t>(program.workspaceBytes));
  if (!workspace.empty()) pointers.push_back(workspace.data());
  const int64_t calls = kernel.launch.tasks + (program.hasEpilogue ? 1 : 0);
  for (int64_t i = 0; i < calls; ++i) code.function(pointers.data(), i, i + 1);
  for (size_t i = 0; i < memory.size(); ++i) decode(storage[i], memory[i]);
}

/// What a pointwise kernel stores, from what it loads; one expression an output.
using Body = std::function<std::vector<const ir::Expr*>(ir::ExprPool&, const std::vector<const ir::Expr*>&)>;

/// A kernel over `count` elements of dense inputs and outputs, `lanes` at a time; the last vector is partly active if
/// `count` is no multiple of it.
inline ir::Kernel pointwiseKernel(const std::vector<ir::DType>& inputs, int64_t count, int lanes, const Body& body) {
  ir::Kernel kernel;
  kernel.name = "pointwise";
  kernel.pool = std::make_shared<ir::ExprPool>();
  ir::ExprPool& pool = *kernel.pool;
  kernel.launch.tasks = (count + lanes - 1) / lanes;
  const ir::Expr* task = pool.axis(kernel.launch.tasks);
  const ir::Expr* lane = pool.axis(lanes);
  const ir::Expr* first = pool.make(ir::Op::Mul, {task, pool.integer(ir::DType::I64, lanes)});
  const auto add = [&](ir::DType dtype, bool isRead) {
    kernel.params.push_back(
        {{"b" + std::to_string(kernel.params.size()), ir::TensorType::contiguous(dtype, {count}), -1, isRead, !isRead}, 1});
    return static_cast<int>(kernel.params.size()) - 1;
  };
  std::vector<const ir::Expr*> loads;
  for (const ir::DType dtype : inputs) loads.push_back(pool.load(add(dtype, true), dtype, first, ir::LoadMode::Contiguous));
  ir::Lanes statement{lane, nullptr, {}};
  for (const ir::Expr* value : body(pool, loads)) statement.stores.push_back({add(value->dtype, false), first, value, true});
  if (count % lanes != 0) statement.active = pool.make(ir::Op::Sub, {pool.integer(ir::DType::I64, count), first});
  kernel.body.push_back({ir::For{task, ir::LoopKind::Task, {{statement}}}});
  return kernel;
}

/// Storage for a pointwise kernel: the inputs as given, the outputs zero.
inline std::vector<ir::Memory> memoryFor(const ir::Kernel& kernel, std::vector<ir::Memory> inputs) {
  for (size_t i = inputs.size(); i < kernel.params.size(); ++i)
    inputs.push_back(ir::Memory::zeros(kernel.params[i].buffer.type.dtype, kernel.params[i].buffer.type.storageElements()));
  return inputs;
}

}  // namespace tests
