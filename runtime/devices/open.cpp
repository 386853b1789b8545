#include "runtime/devices/open.h"

#include <cuda.h>
#include <dlfcn.h>

#include <charconv>
#include <filesystem>
#include <string_view>

#include "runtime/build/program_file.h"
#include "runtime/cpu/cpu_device.h"

namespace runtime {
namespace {

/// What opening a library gave: a handle, or why not.
void* openLibrary(const std::string& path, int flags, std::string& why) {
  void* handle = dlopen(path.c_str(), flags);
  if (handle == nullptr) why = dlerror();
  return handle;
}

/// The driver's answers, asked of the driver itself: no CUDA library of torch's is loaded for it.
class Driver {
 public:
  explicit Driver(std::string& why) : library_(openLibrary("libcuda.so.1", RTLD_NOW | RTLD_LOCAL, why)) {
    if (library_ == nullptr) {
      why = "no NVIDIA driver on this machine (libcuda.so.1 cannot be opened)";
      return;
    }
    const bool works = call<decltype(cuInit)>("cuInit", 0) && call<decltype(cuDeviceGetCount)>("cuDeviceGetCount", &devices_);
    if (!works) devices_ = 0;
    if (devices_ == 0) why = "the NVIDIA driver shows no GPU";
  }

  int devices() const { return devices_; }
  /// `NVIDIA H200`; empty where the driver does not tell.
  std::string nameOf(int device) const {
    std::string name(256, '\0');
    if (!call<decltype(cuDeviceGetName)>("cuDeviceGetName", name.data(), static_cast<int>(name.size()), device)) return "";
    name.resize(name.find('\0'));
    return name;
  }

 private:
  /// Whether the driver has the function of this name, which cuda.h declares as `F`, and it succeeds.
  template <typename F, typename... Arguments>
  bool call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<F*>(dlsym(library_, name));
    return function != nullptr && function(arguments...) == CUDA_SUCCESS;
  }

  void* library_;
  int devices_ = 0;
};

std::filesystem::path modulePath() { return programFile().parent_path() / "libopbench_cuda.so"; }

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

void requireIndex(const Driver& driver, int index) {
  if (index >= driver.devices()) throw NoDevice(fmt::format("no CUDA device {}; the driver shows {}", index, driver.devices()));
}

std::unique_ptr<Device> openCudaDevice(int index) {
  std::string why;
  if (!cudaAvailable(&why)) throw NoDevice("no CUDA device: " + why);
  requireIndex(Driver(why), index);
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

/// `cuda` is 0, `cuda:1` is 1.
int cudaIndex(std::string_view name) {
  if (name == "cuda") return 0;
  constexpr std::string_view prefix = "cuda:";
  int index = -1;
  const char* end = name.data() + name.size();
  const bool isNumber =
      name.starts_with(prefix) && std::from_chars(name.data() + prefix.size(), end, index).ptr == end && index >= 0;
  if (!isNumber) throw NoDevice(fmt::format("unknown device '{}'; use cpu, cuda or cuda:N", name));
  return index;
}

}  // namespace

bool cudaAvailable(std::string* why) {
  std::string reason;
  const bool available = Driver(reason).devices() > 0 && filesAvailable(reason);
  if (why != nullptr) *why = reason;
  return available;
}

std::unique_ptr<Device> openDevice(const std::string& name, int threads) {
  if (name == "cpu") return openCpuDevice(threads);
  const int index = cudaIndex(name);
  if (threads > 0) setThreads(threads);
  return openCudaDevice(index);
}

std::string deviceNameOf(const std::string& name) {
  if (name == "cpu") return cpuName();
  const int index = cudaIndex(name);
  std::string why;
  const Driver driver(why);
  requireIndex(driver, index);
  return driver.nameOf(index);
}

}  // namespace runtime
