#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/program.h"
#include "ir/target.h"
#include "runtime/cache.h"
#include "runtime/call.h"
#include "runtime/callable.h"
#include "runtime/executable.h"

namespace runtime {

/// A callable made ready to be timed: captured in a CUDA graph, or called directly on a CPU.
class Trial {
 public:
  virtual ~Trial() = default;
  /// Restores in-place arguments, poisons the outputs (0xff bytes) where they are ours to write, runs once and waits. The
  /// outputs are those of this run until the next one.
  virtual TensorList run() = 0;
  /// Restores in-place arguments, flushes L2 (CUDA), runs once and returns its device time (CUDA: between events around
  /// the replay) or wall time (CPU), in seconds.
  virtual double seconds() = 0;
  /// seconds() `n` times over, appended to `times`; CUDA queues all of it before it waits, so that the host stays ahead.
  virtual void time(int n, std::vector<double>& times) {
    for (int i = 0; i < n; ++i) times.push_back(seconds());
  }
  /// Kernels a replay runs, ATen's and memory operations included; -1 where it is not known (CPU).
  virtual int kernelNodes() const { return -1; }
  /// Why it is called directly and not captured, where that is so on CUDA.
  std::string notCaptured;
};

/// One piece of hardware that calls run on.
class Device {
 public:
  virtual ~Device() = default;
  /// `cpu`, `cuda` or `cuda:N`; `threads` 0 leaves ATen's choice. Opens torch's CUDA side, the driver and NVRTC only for
  /// CUDA. Throws NoDevice where there is none.
  static std::unique_ptr<Device> open(const std::string& name, int threads);
  /// Whether a CUDA device can be opened here, and if not why, in one line.
  static bool cudaAvailable(std::string* why = nullptr);

  virtual std::string torchName() const = 0;  ///< `cpu`, `cuda:0`
  virtual std::string name() const = 0;       ///< `NVIDIA H200`, `Intel Xeon ...`
  virtual const ir::Target& target() const = 0;
  virtual ExecutablePtr compile(const codegen::Program& program, const Cache& cache) = 0;
  /// The machine code in text (PTX or assembly) for dumps: {file extension, text}.
  virtual std::pair<std::string, std::string> assembly(const codegen::Program& program) = 0;
  virtual std::unique_ptr<Trial> prepare(Callable& callable, Call& call) = 0;
  /// Bytes a second, read plus written, of a large copy between two buffers, measured when first asked.
  virtual double copyBandwidth() = 0;
  virtual void synchronize() {}
  /// What `opbench doctor` prints about it: {what, found}.
  virtual std::vector<std::pair<std::string, std::string>> facts() = 0;
};

/// The device that was asked for does not exist here.
class NoDevice : public ir::Error {
 public:
  explicit NoDevice(const std::string& message) : ir::Error(ir::ErrorKind::Unsupported, message) {}
};

}  // namespace runtime
