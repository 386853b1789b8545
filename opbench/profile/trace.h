#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opbench::profile {

/// A stretch of time, in microseconds.
struct Span {
  double begin = 0, end = 0;
  double length() const { return end - begin; }
  bool holds(double time) const { return begin <= time && time <= end; }
};

/// A kernel, or a copy or fill of memory, on a GPU.
struct Kernel {
  std::string name;
  Span span;
  int64_t correlation = -1;          ///< the call that launched it, or the graph it is of
  std::optional<int64_t> registers;  ///< a thread's
  std::optional<double> occupancy;   ///< the share of the warps that a multiprocessor can hold
  std::optional<int64_t> bytes;      ///< that a copy moves
};

/// A call on a thread of the host: of ATen, of a kernel generated for the CPU, or of CUDA.
struct HostCall {
  std::string name;
  Span span;
  int64_t thread = 0;
  int64_t correlation = -1;  ///< of CUDA's calls
};

/// What a Chrome trace holds, by time.
struct Trace {
  std::string file;
  std::vector<Kernel> kernels;
  std::vector<HostCall> calls;           ///< of ATen, and of kernels for CPUs
  std::vector<HostCall> launches;        ///< of CUDA
  std::vector<HostCall> ranges;          ///< that the program named
  std::string op, sample, device;        ///< of opbench's traces
  std::optional<int64_t> bytes;          ///< that a run of the sample has to move
  std::optional<double> bytesPerSecond;  ///< of the device's copies
};

/// Reads a trace that record() or torch.profiler wrote. Error: Input, in one line, for what is none.
Trace readTrace(const std::string& file);

}  // namespace opbench::profile
