#pragma once

#include <optional>
#include <string>
#include <vector>

namespace runtime {

/// The machine and the software that the times of a device depend on. An empty text, and nothing, stand for what the device does
/// not have or the system does not tell.
struct Environment {
  std::string torch;                            ///< releases: `2.11.0`,
  std::string cuda, driver, nvrtc;              ///< of the CUDA runtime, the driver and NVRTC (GPUs),
  std::string llvm;                             ///< of LLVM (CPUs)
  std::string gpu;                              ///< the UUID: `GPU-e69ad08a-..`
  std::optional<double> powerLimit, mostClock;  ///< of the GPU, in watts and Hz
  std::optional<bool> ecc;                      ///< whether the GPU's memory is protected
  std::optional<bool> mig;                      ///< whether the GPU is divided into instances
  std::string host, cpu, kernel;                ///< the machine's name, its CPU, and the release of its system's kernel
  bool operator==(const Environment&) const = default;
};

/// The releases of the software in one line: `torch 2.11.0, LLVM 19.1.7`.
std::string softwareText(const Environment& environment);

/// The state of a GPU at a moment. Nothing stands for what the driver does not tell.
struct GpuState {
  std::optional<double> temperature;                      ///< in degrees Celsius
  std::optional<double> power;                            ///< in watts
  std::optional<double> memoryClock;                      ///< in Hz
  std::vector<std::string> clockEvents;                   ///< what holds its clock down: `sw_power_cap`, `hw_thermal_slowdown`
  std::optional<double> powerCapSeconds, heatCapSeconds;  ///< how long power and heat have held it down, since the driver started
  std::optional<int> otherProcesses;                      ///< that compute on it
  bool operator==(const GpuState&) const = default;
};

/// The state at the end of a span: the seconds are the span's alone, the other processes the most of both moments.
GpuState between(const GpuState& begin, GpuState end);

}  // namespace runtime
