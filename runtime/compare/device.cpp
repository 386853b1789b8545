#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

#include "ir/error.h"
#include "runtime/build/nvrtc.h"
#include "runtime/compare/tally.h"
#include "runtime/device.h"
#include "runtime/executable.h"

namespace runtime {

std::string_view tallyTexts();  // tally.inc and tally.cuh

namespace {

constexpr int64_t ctas = 256;
constexpr int threads = 512;
constexpr int parameters = 10;
constexpr int64_t words = sizeof(Tally) / sizeof(int64_t);

/// The device that compiles the kernel, and the kernel once it is needed.
struct Kernel {
  Device* device = nullptr;
  ExecutablePtr executable;
};
Kernel& kernel() {
  static Kernel kernel;
  return kernel;
}

/// The letter of tally.cuh of a type; 0 where it has none.
char letterOf(at::ScalarType type) {
  switch (type) {
    case at::kHalf: return 'h';
    case at::kBFloat16: return 'b';
    case at::kFloat: return 'f';
    case at::kDouble: return 'd';
    case at::kChar: return 'c';
    case at::kByte: return 'C';
    case at::kShort: return 's';
    case at::kUInt16: return 'S';
    case at::kInt: return 'i';
    case at::kUInt32: return 'I';
    case at::kLong: return 'l';
    case at::kUInt64: return 'L';
    default: return 0;
  }
}

/// The elements one after the other, of a type that the kernel reads.
at::Tensor readable(const at::Tensor& tensor) {
  return letterOf(tensor.scalar_type()) != 0 ? tensor.contiguous() : tensor.to(at::kDouble).contiguous();
}

/// What a kernel is given beside pointers has as many bytes as they.
template <typename Number>
void* argument(Number number) {
  return std::bit_cast<void*>(number);
}

}  // namespace

ir::KernelSource tallyProgram(const std::string& arch) {
  constexpr std::string_view prelude = "using int64_t = long long;\n#define INFINITY __int_as_float(0x7f800000)\n";
  ir::KernelSource program = toolProgram("tally", fmt::format("{}{}", prelude, tallyTexts()), arch, parameters);
  program.launch.grid = ctas;
  program.launch.block = threads;
  return program;
}

void compareOn(Device* device) { kernel() = {device, nullptr}; }

Tally tallyOnDevice(const Compared& operands) {
  Tally whole;
  if (operands.found.numel() == 0) return whole;
  auto& [device, executable] = kernel();
  ir::require(device != nullptr, "results on a GPU are compared, but none is open");
  if (!executable) executable = device->compile(tallyProgram(device->target().arch), Cache());
  const at::Tensor found = readable(operands.found), eager = readable(operands.eager), reference = readable(operands.reference);
  const at::Tensor parts = at::empty({ctas, words}, found.options().dtype(at::kLong));
  const Limits limits = limitsOf(operands);
  const int64_t letters = letterOf(found.scalar_type()) | int64_t{letterOf(reference.scalar_type())} << 8;
  const auto address = [](const at::Tensor& tensor) { return const_cast<void*>(tensor.const_data_ptr()); };
  const std::array<void*, parameters> arguments{address(found),
                                                address(eager),
                                                address(reference),
                                                argument(letters),
                                                argument(found.numel()),
                                                argument(limits.tolerance),
                                                argument(limits.leastError),
                                                argument(limits.overflow.threshold),
                                                argument(limits.overflow.edge),
                                                parts.mutable_data_ptr()};
  executable->launch(arguments.data());
  std::vector<Tally> tallies(ctas);
  std::memcpy(tallies.data(), parts.to(at::kCPU).const_data_ptr(), tallies.size() * sizeof(Tally));
  for (const Tally& part : tallies) mergeTally(part, whole);
  const bool isRead = letterOf(operands.found.scalar_type()) != 0;
  if (!isRead) whole.maxUlp = maxUlp(operands.found, operands.reference).item<double>();
  return whole;
}

}  // namespace runtime
