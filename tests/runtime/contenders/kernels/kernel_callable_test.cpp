// What kernels of the user's are launched with, on a device that launches functions of the host in place of kernels.
#include "runtime/contenders/kernels/kernel_callable.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include "runtime/build/nvrtc.h"
#include "runtime/contenders/kernels/kernel_library.h"
#include "runtime/devices/open.h"
#include "runtime/memory.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/call.h"
#include "tests/refusal.h"
#include "tests/runtime/sample.h"

namespace {

using runtime::ExecutablePtr;
using runtime::KernelFile;
using runtime::KernelLaunch;
using runtime::TensorList;

/// A kernel in C++, called with the slots of its arguments.
struct HostKernel {
  std::vector<std::size_t> parameterBytes;
  std::function<void(void* const* slots)> run;
};
using HostKernels = std::map<std::string, HostKernel>;

class HostLaunch : public runtime::Executable {
 public:
  explicit HostLaunch(const HostKernel& kernel) : kernel_(kernel) {}
  void launch(void* const* slots) const override { kernel_.run(slots); }

 private:
  const HostKernel& kernel_;
};

class HostLibrary : public runtime::KernelLibrary {
 public:
  explicit HostLibrary(const HostKernels& kernels) : kernels_(kernels) {}
  std::vector<std::size_t> parameterBytes(const KernelLaunch& launch) const override {
    return kernels_.at(launch.kernel).parameterBytes;
  }
  ExecutablePtr ready(const KernelLaunch& launch) const override {
    return std::make_shared<HostLaunch>(kernels_.at(launch.kernel));
  }

 private:
  const HostKernels& kernels_;
};

/// A CPU that takes these kernels for the code of any file, and counts how often it has loaded them.
class HostDevice : public runtime::Device, private runtime::KernelLoader {
 public:
  explicit HostDevice(HostKernels kernels) : kernels_(std::move(kernels)) {}

  runtime::KernelLoader* kernelLoader() override { return this; }
  runtime::DeviceCode codeOf(const ir::KernelSource& program, const runtime::Cache&) override {
    if (program.source.find("oops") != std::string::npos)
      ir::fail(ir::ErrorKind::Toolchain, "NVRTC refuses it:\na.cu(1): warning: w\na.cu(2): error: oops\n");
    return {"code", 5, false};
  }
  runtime::KernelLibraryPtr load(const runtime::DeviceCode& code) override {
    if (code.cubin != "code") ir::fail(ir::ErrorKind::Input, "no code");
    ++loads;
    return std::make_shared<HostLibrary>(kernels_);
  }
  std::string torchName() const override { return "cpu"; }
  std::string name() const override { return device_->name(); }
  const ir::Target& target() const override { return device_->target(); }
  ExecutablePtr compile(const ir::KernelSource& program, const runtime::Cache& cache) override {
    return device_->compile(program, cache);
  }
  std::pair<std::string, std::string> assembly(const ir::KernelSource& program) override { return device_->assembly(program); }
  std::unique_ptr<runtime::Trial> prepare(runtime::Callable& callable, runtime::Workload& workload) override {
    return device_->prepare(callable, workload);
  }
  std::unique_ptr<runtime::MemoryWatch> watchMemory() override { return device_->watchMemory(); }
  std::vector<std::pair<std::string, std::string>> facts() override { return device_->facts(); }

  int loads = 0;

 private:
  const HostKernels kernels_;
  std::unique_ptr<runtime::Device> device_ = runtime::openDevice("cpu", 1);
};

std::vector<runtime::Expression> expressions(const std::string& text, runtime::Typed typed = runtime::Typed::No) {
  runtime::PlacedText placed;
  placed.append(text, {"a.cu", 1, 1});
  return runtime::parseExpressions(placed, typed);
}

runtime::LaunchRule launching(const std::string& kernel, const std::string& arguments) {
  return {kernel, {"a.cu", 2, 1}, expressions("1"), expressions("1"), {}, expressions(arguments, runtime::Typed::Yes)};
}

KernelFile file(std::vector<runtime::LaunchRule> launches, const std::string& scratch = "") {
  return {"kernel::mine", "a.cu", "source", false, {}, expressions(scratch), std::move(launches)};
}

template <typename T>
T numberIn(void* const* slot) {
  T number{};
  std::memcpy(&number, static_cast<const void*>(slot), sizeof number);
  return number;
}

/// out[i] = x[i] * factor
const HostKernel scaled{{8, 8, 8, 4}, [](void* const* slots) {
                          auto* out = static_cast<float*>(slots[0]);
                          const auto* x = static_cast<const float*>(slots[1]);
                          for (int64_t i = 0; i < numberIn<int64_t>(slots + 2); ++i) out[i] = x[i] * numberIn<float>(slots + 3);
                        }};

struct Bed {
  Bed(HostKernels kernels, const std::string& op, const std::string& text)
      : device(std::move(kernels)), call(tests::sample(op, text), device, 7) {}
  runtime::CallablePtr callable(const KernelFile& file) {
    return runtime::kernelCallable(call, file, call.graph(call.runEager()), device, runtime::Cache());
  }

  HostDevice device;
  runtime::Call call;
};

bool isEager(Bed& bed, const TensorList& found, double tolerance = 0) {
  return runtime::compare(found, bed.call.runEager(), {}, 0, tolerance).allClose;
}

TEST_CASE("kernels are launched with the addresses of results and operands, and with numbers") {
  Bed bed({{"scaled", scaled}}, "aten.mul.Tensor", "((T([20], f32), 2.5), {})");
  const auto callable = bed.callable(file({launching("scaled", "out0, self, numel(self), float(other)")}));
  CHECK(callable->kind == runtime::Kind::Generated);
  CHECK(callable->kernels == 1);
  CHECK(callable->compileMs == 5);
  CHECK(isEager(bed, (*callable)(), 1e-6));
}

TEST_CASE("launches run in order, and share scratch memory") {
  Bed bed({{"scaled", scaled}}, "aten.mul.Tensor", "((T([20], f32), 6.0), {})");
  const auto callable =
      bed.callable(file({launching("scaled", "s1, self, 20, float(2)"), launching("scaled", "out0, s1, 20, float(3)")},
                        "16, numel(self) * element_size(self)"));
  CHECK(callable->kernels == 2);
  CHECK(isEager(bed, (*callable)(), 1e-6));
}

TEST_CASE("in place, the result is the argument that is written") {
  Bed bed({{"scaled", scaled}}, "aten.neg_.default", "((T([20], f32),), {})");
  const auto callable = bed.callable(file({launching("scaled", "out0, self, numel(self), float(-1)")}));
  const TensorList expected = bed.call.runEager();
  const TensorList found = (*callable)();
  CHECK(bitwiseEqual(found, expected));
  CHECK(found.state().tensors[0].is_same(bed.call.operands().state().tensors[0]));
}

TEST_CASE("another set of operands has other addresses") {
  std::vector<const void*> seen;
  const HostKernel seeing{{8}, [&](void* const* slots) { seen.push_back(slots[0]); }};
  Bed bed({{"seeing", seeing}}, "aten.neg.default", "((T([20], f32),), {})");
  REQUIRE(bed.call.multiply(2) == 2);
  const auto callable = bed.callable(file({launching("seeing", "self")}));
  for (const int set : {0, 1}) {
    callable->use(set);
    (*callable)();
    CHECK(seen.back() == bed.call.operands(set).state().tensors[0].const_data_ptr());
  }
}

TEST_CASE("a reload loads all kernels of a file once more") {
  Bed bed({{"scaled", scaled}}, "aten.mul.Tensor", "((T([20], f32), 1.0), {})");
  const auto callable =
      bed.callable(file({launching("scaled", "out0, self, 20, float(1)"), launching("scaled", "out0, self, 20, float(1)")}));
  CHECK(bed.device.loads == 1);
  callable->reload();
  CHECK(bed.device.loads == 2);
  CHECK(isEager(bed, (*callable)()));
}

TEST_CASE("results lie between guards where that is asked for, so that a write behind them shows") {
  Bed bed({{"scaled", scaled}}, "aten.neg.default", "((T([20], f32),), {})");
  const auto callable = bed.callable(file({launching("scaled", "out0, self, numel(self) + 1, float(-1)")}));
  callable->guard(runtime::Guards::Written);
  CHECK(runtime::writtenOutside((*callable)()).starts_with("output 0 was written outside its memory: "));
}

TEST_CASE("arguments that do not fit parameters, code that does not compile or load") {
  Bed bed({{"scaled", scaled}}, "aten.neg.default", "((T([20], f32),), {})");
  const auto refused = [&](ir::ErrorKind kind, const KernelFile& file) {
    return tests::refusal(kind, [&] { bed.callable(file); });
  };
  CHECK(refused(ir::ErrorKind::Input, file({launching("scaled", "out0, self, numel(self), 1.5")})) ==
        "a.cu:1:26: argument 4 of scaled is a double of 8 bytes, its parameter takes 4");
  CHECK(refused(ir::ErrorKind::Input, file({launching("scaled", "out0")})) ==
        "a.cu:2:1: scaled has 4 parameters, and is given 1 argument");
  CHECK(refused(ir::ErrorKind::Unsupported, file({launching("scaled", "out0, other")})) ==
        "a.cu:1:7: aten.neg.default has no 'other'; it has self, out0");
  KernelFile broken = file({launching("scaled", "out0")});
  broken.code = "oops";
  CHECK(refused(ir::ErrorKind::Toolchain, broken) == "a.cu(2): error: oops");
  broken.isCubin = true;
  CHECK(refused(ir::ErrorKind::Input, broken) == "a.cu: no code");
}

TEST_CASE("a CPU loads no kernels") {
  const auto cpu = runtime::openDevice("cpu", 1);
  runtime::Call call(tests::sample("aten.neg.default", "((T([20], f32),), {})"), *cpu, 7);
  const ir::Graph graph = call.graph(call.runEager());
  CHECK(tests::refusal(ir::ErrorKind::Unsupported, [&] {
          runtime::kernelCallable(call, file({launching("scaled", "out0")}), graph, *cpu, runtime::Cache());
        }) == "kernel::mine needs a GPU");
}

}  // namespace
