#include "runtime/build/nvrtc.h"

#include <dlfcn.h>
#include <link.h>
#include <nvrtc.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "ir/error.h"
#include "runtime/build/elapsed.h"

namespace runtime {
namespace {

constexpr const char* libraryName = "libnvrtc.so.13";

/// The folder an opened library lies in, or nothing.
std::string folderOf(void* library) {
  std::string folder(4096, '\0');
  const bool isKnown = library != nullptr && dlinfo(library, RTLD_DI_ORIGIN, folder.data()) == 0;
  return isKnown ? folder.c_str() : "";
}

void* open() {
  if (void* library = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL)) return library;
  const std::string why = dlerror();
  const std::string torch = folderOf(dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD));
  for (const char* folder : {"/../../nvidia/cu13/lib/", "/"}) {
    if (torch.empty()) break;
    if (void* library = dlopen((torch + folder + libraryName).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  ir::fail(ir::ErrorKind::Toolchain, "cannot open NVRTC: {}", why);
}

std::string cacheKey(const ir::KernelSource& program, const std::string& version) {
  std::string key = "nvrtc " + version + "\n" + program.arch + "\n";
  for (const std::string& option : program.options) key += option + "\n";
  return key + program.source;
}

}  // namespace

struct Nvrtc::Library {
  void* handle = open();
  decltype(&nvrtcVersion) version = symbol<decltype(version)>("nvrtcVersion");
  decltype(&nvrtcGetErrorString) errorText = symbol<decltype(errorText)>("nvrtcGetErrorString");
  void* builtins = openBuiltins();
  decltype(&nvrtcCreateProgram) create = symbol<decltype(create)>("nvrtcCreateProgram");
  decltype(&nvrtcDestroyProgram) destroy = symbol<decltype(destroy)>("nvrtcDestroyProgram");
  decltype(&nvrtcCompileProgram) compile = symbol<decltype(compile)>("nvrtcCompileProgram");
  using SizeOf = decltype(&nvrtcGetProgramLogSize);
  using Get = decltype(&nvrtcGetProgramLog);
  SizeOf logSize = symbol<SizeOf>("nvrtcGetProgramLogSize");
  Get log = symbol<Get>("nvrtcGetProgramLog");
  SizeOf cubinSize = symbol<decltype(&nvrtcGetCUBINSize)>("nvrtcGetCUBINSize");
  Get cubin = symbol<decltype(&nvrtcGetCUBIN)>("nvrtcGetCUBIN");
  SizeOf ptxSize = symbol<decltype(&nvrtcGetPTXSize)>("nvrtcGetPTXSize");
  Get ptx = symbol<decltype(&nvrtcGetPTX)>("nvrtcGetPTX");

  /// From 12.9 on NVRTC keeps what it has compiled in a folder of the driver's, where there is a driver. Code comes from
  /// opbench's cache alone, which is signed, and no compilation time is the time of a look-up.
  bool hasCache() const { return release() >= std::pair(12, 9); }

  /// The major and the minor number.
  std::pair<int, int> release() const {
    std::pair<int, int> numbers;
    check(version(&numbers.first, &numbers.second), "nvrtcVersion");
    return numbers;
  }

  /// NVRTC opens its second library by bare name: the one beside it is opened first, so that this finds it wherever it lies.
  /// Where it is missing NVRTC says so at the first compile.
  void* openBuiltins() const {
    const auto [major, minor] = release();
    return dlopen(fmt::format("{}/libnvrtc-builtins.so.{}.{}", folderOf(handle), major, minor).c_str(), RTLD_NOW | RTLD_LOCAL);
  }

  /// The function of this name; `F` is a pointer to it, as nvrtc.h declares it.
  template <typename F>
  F symbol(const char* name) const {
    void* found = dlsym(handle, name);
    if (found == nullptr) ir::fail(ir::ErrorKind::Toolchain, "{} has no {}", libraryName, name);
    return reinterpret_cast<F>(found);
  }

  void check(nvrtcResult result, const char* what) const {
    if (result != NVRTC_SUCCESS) ir::fail(ir::ErrorKind::Toolchain, "{} says {}", what, errorText(result));
  }

  std::string text(nvrtcProgram program, SizeOf sizeOf, Get get) const {
    size_t size = 0;
    check(sizeOf(program, &size), libraryName);
    std::string bytes(size, '\0');
    check(get(program, bytes.data()), libraryName);
    return bytes;
  }

  /// One compilation; ends with the object.
  struct Run {
    const Library& library;
    nvrtcProgram program = nullptr;
    Run(const Library& lib, const ir::KernelSource& source) : library(lib) {
      const std::string file = source.name + ".cu";
      library.check(library.create(&program, source.source.c_str(), file.c_str(), 0, nullptr, nullptr), "nvrtcCreateProgram");
    }
    ~Run() { library.destroy(&program); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
  };

  std::unique_ptr<Run> run(const ir::KernelSource& program) const {
    ir::require(program.backend == ir::Backend::Cuda, "the program {} is no CUDA program", program.name);
    auto made = std::make_unique<Run>(*this, program);
    const std::string arch = "--gpu-architecture=" + program.arch;
    std::vector<const char*> options{arch.c_str()};
    if (hasCache()) options.push_back("--no-cache");
    for (const std::string& option : program.options) options.push_back(option.c_str());
    const nvrtcResult result = compile(made->program, static_cast<int>(options.size()), options.data());
    if (result != NVRTC_SUCCESS) {
      const std::string text = this->text(made->program, logSize, log);
      ir::fail(ir::ErrorKind::Toolchain, "NVRTC refuses the kernel {} ({}):\n{}", program.name, errorText(result), text.c_str());
    }
    return made;
  }
};

Nvrtc::Nvrtc() : library_(std::make_unique<Library>()) {}
// The library stays open: the driver may hold on to it, and it is opened once a process.
Nvrtc::~Nvrtc() = default;

std::string Nvrtc::version() const {
  const auto [major, minor] = library_->release();
  return fmt::format("{}.{}", major, minor);
}

std::string Nvrtc::path() const {
  const std::string folder = folderOf(library_->handle);
  return folder.empty() ? libraryName : folder + "/" + libraryName;
}

std::string Nvrtc::headers() const {
  const char* home = std::getenv("CUDA_HOME");
  for (const std::string& folder : {folderOf(library_->handle) + "/..", std::string(home != nullptr ? home : "/usr/local/cuda")})
    if (std::filesystem::exists(folder + "/include/cuda_fp16.h")) return folder + "/include";
  return "";
}

DeviceCode Nvrtc::compile(const ir::KernelSource& program, const Cache& cache) const {
  const auto start = std::chrono::steady_clock::now();
  const std::string key = cacheKey(program, version());
  DeviceCode code;
  if (std::optional<std::string> found = cache.find(key)) {
    code.cubin = std::move(*found);
    code.cached = true;
  } else {
    const std::unique_ptr<Library::Run> run = library_->run(program);
    code.cubin = library_->text(run->program, library_->cubinSize, library_->cubin);
    cache.put(key, code.cubin);
  }
  code.compileMs = millisecondsSince(start);
  return code;
}

std::string Nvrtc::ptx(const ir::KernelSource& program) const {
  const std::unique_ptr<Library::Run> run = library_->run(program);
  std::string text = library_->text(run->program, library_->ptxSize, library_->ptx);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

ir::KernelSource toolProgram(const std::string& name, std::string_view source, const std::string& arch, int parameters) {
  const ir::Param pointer{{"pointer", ir::TensorType::contiguous(ir::DType::I64, {1}), 0, true, true}, 8};
  ir::KernelSource program;
  program.name = name;
  program.backend = ir::Backend::Cuda;
  program.source = source;
  program.options = {"--std=c++17", "-default-device"};
  program.arch = arch;
  program.params.assign(static_cast<std::size_t>(parameters), pointer);
  return program;
}

}  // namespace runtime
