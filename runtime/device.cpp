#include "runtime/device.h"

#include <dlfcn.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>

#include "runtime/cpu_device.h"

namespace runtime {
namespace {

/// What opening a library gave: a handle, or why not.
void* openLibrary(const std::string& path, int flags, std::string& why) {
  void* handle = dlopen(path.c_str(), flags);
  if (handle == nullptr) why = dlerror();
  return handle;
}

/// Devices the driver shows, asked of the driver itself: no CUDA library of torch's is loaded for it.
int driverDevices(std::string& why) {
  void* driver = openLibrary("libcuda.so.1", RTLD_NOW | RTLD_LOCAL, why);
  if (driver == nullptr) {
    why = "no NVIDIA driver here (libcuda.so.1 cannot be opened)";
    return 0;
  }
  using Init = int (*)(unsigned);
  using Count = int (*)(int*);
  const auto init = reinterpret_cast<Init>(dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<Count>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  const bool works = init != nullptr && count != nullptr && init(0) == 0 && count(&devices) == 0;
  if (!works || devices == 0) why = "the NVIDIA driver shows no GPU";
  return works ? devices : 0;
}

std::filesystem::path modulePath() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libopbench_cuda.so";
}

/// The files that a CUDA device needs beside the driver, or why one is missing.
bool filesAvailable(std::string& why) {
  const std::filesystem::path torch = std::filesystem::path(torchFolder()) / "libtorch_cuda.so";
  if (!std::filesystem::exists(torch)) {
    why = fmt::format("this torch was built without CUDA (no {})", torch.string());
    return false;
  }
  if (!std::filesystem::exists(modulePath())) {
    why = fmt::format("opbench's CUDA module is missing ({})", modulePath().string());
    return false;
  }
  return true;
}

std::unique_ptr<Device> openCudaDevice(int index) {
  std::string why;
  if (!Device::cudaAvailable(&why)) throw NoDevice("no CUDA device: " + why);
  if (const int devices = driverDevices(why); index >= devices)
    throw NoDevice(fmt::format("no CUDA device {}: there are {}", index, devices));
  // Global, and before the module: torch registers its CUDA kernels as it loads, and the module is linked to it.
  if (openLibrary(torchFolder() + "/libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL, why) == nullptr) {
    throw NoDevice("torch's CUDA libraries cannot be opened: " + why);
  }
  void* module = openLibrary(modulePath().string(), RTLD_NOW | RTLD_GLOBAL, why);
  if (module == nullptr) throw NoDevice("the CUDA module cannot be opened: " + why);
  using Open = Device* (*)(int);
  const auto open = reinterpret_cast<Open>(dlsym(module, "openCudaDevice"));
  ir::require(open != nullptr, "{} has no openCudaDevice", modulePath().string());
  return std::unique_ptr<Device>(open(index));
}

/// `cuda` is 0, `cuda:1` is 1; nothing where it is another name.
std::optional<int> cudaIndex(std::string_view name) {
  if (name == "cuda") return 0;
  constexpr std::string_view prefix = "cuda:";
  if (!name.starts_with(prefix)) return std::nullopt;
  int index = -1;
  const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), index);
  return error == std::errc() && end == name.data() + name.size() && index >= 0 ? std::optional<int>(index) : std::nullopt;
}

}  // namespace

bool Device::cudaAvailable(std::string* why) {
  std::string reason;
  const bool available = driverDevices(reason) > 0 && filesAvailable(reason);
  if (why != nullptr) *why = reason;
  return available;
}

std::unique_ptr<Device> Device::open(const std::string& name, int threads) {
  if (name == "cpu") return openCpuDevice(threads);
  const std::optional<int> index = cudaIndex(name);
  if (!index) throw NoDevice(fmt::format("there is no device '{}': it is cpu, cuda or cuda:N", name));
  if (threads > 0) setThreads(threads);
  return openCudaDevice(*index);
}

}  // namespace runtime
