#include "runtime/device.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>

#include "codegen/llvm/emit.h"
#include "runtime/devices/open.h"
#include "runtime/torch/parallel.h"

namespace {

/// The processors that this process may use: asked before any thread is bound to one of them.
const int processorsAtStart = [] {
  cpu_set_t allowed{};
  sched_getaffinity(0, sizeof(cpu_set_t), &allowed);
  return CPU_COUNT(&allowed);
}();

}  // namespace

TEST_CASE("names of devices that cannot be") {
  CHECK_THROWS_WITH_AS(runtime::openDevice("gpu", 0), "unknown device 'gpu'; use cpu, cuda or cuda:N", runtime::NoDevice);
  CHECK_THROWS_AS(runtime::openDevice("cuda:x", 0), runtime::NoDevice);
  CHECK_THROWS_AS(runtime::openDevice("cuda:-1", 0), runtime::NoDevice);
}

TEST_CASE("without a GPU, asking for one says why in one line") {
  std::string why;
  if (runtime::cudaAvailable(&why)) {
    MESSAGE("skipped: there is a GPU");
    return;
  }
  CHECK_FALSE(why.empty());
  CHECK(why.find('\n') == std::string::npos);
  CHECK_THROWS_WITH_AS(runtime::openDevice("cuda", 0), ("no CUDA device: " + why).c_str(), runtime::NoDevice);
}

TEST_CASE("the CPU") {
  const auto device = runtime::openDevice("cpu", 2);
  CHECK(device->torchName() == "cpu");
  CHECK_FALSE(device->name().empty());
  CHECK(device->target().backend == ir::Backend::Cpu);
  CHECK(device->target().processors == 2);
  CHECK_FALSE(device->target().arch.empty());
  CHECK(*device->clock() > 1e8);
  CHECK(*device->clock() < 1e10);
  CHECK(device->facts().size() == 3);
}

TEST_CASE("each thread of the CPU is bound to a processor of its own") {
  if (processorsAtStart < 2) {
    MESSAGE("skipped: there is one processor");
    return;
  }
  const auto device = runtime::openDevice("cpu", 2);
  std::array<cpu_set_t, 2> allowed{};
  runtime::onEachThread([&](int thread) { sched_getaffinity(0, sizeof(cpu_set_t), &allowed.at(static_cast<size_t>(thread))); });
  CHECK(CPU_COUNT(&allowed[0]) == 1);
  CHECK(CPU_COUNT(&allowed[1]) == 1);
  CHECK_FALSE(CPU_EQUAL(&allowed[0], &allowed[1]));
}

TEST_CASE("a kernel's workspace is zero at first and stays from launch to launch; what follows the tasks runs last") {
  // 100 tasks leave their numbers plus one; the finish adds them to a count of its own.
  using ir::DType;
  using ir::Op;
  ir::Kernel kernel;
  kernel.name = "counting";
  kernel.pool = std::make_shared<ir::ExprPool>();
  ir::ExprPool& pool = *kernel.pool;
  const auto global = [](const std::string& name, int64_t count) {
    return ir::Local{{name, ir::TensorType::contiguous(DType::I64, {count}), -1, true, true}, ir::Space::Global, 1};
  };
  kernel.params = {{{"out", ir::TensorType::contiguous(DType::I64, {1}), -1, false, true}, 1}};
  kernel.locals = {global("parts", 100), global("total", 1)};
  kernel.launch.tasks = 100;
  const ir::Expr* task = pool.axis(100);
  const ir::Expr* part = pool.axis(100);
  const ir::Expr* zero = pool.integer(DType::I64, 0);
  const auto scalar = [&](ir::Store store) { return ir::Statement{ir::Lanes{pool.axis(1), nullptr, {store}}}; };
  const ir::Expr* number = pool.make(Op::Add, {task, pool.integer(DType::I64, 1)});
  kernel.body = {{ir::For{task, ir::LoopKind::Task, {scalar({1, task, number})}}},
                 {ir::For{part, ir::LoopKind::Serial, {scalar({2, zero, pool.load(1, DType::I64, part), false, Op::Add})}}},
                 scalar({0, zero, pool.load(2, DType::I64, zero)})};

  const auto device = runtime::openDevice("cpu", 2);
  const auto executable = device->compile(codegen::emitLlvm(kernel, device->target()), runtime::Cache());
  int64_t out = 0;
  void* pointers[] = {&out};
  for (int64_t launches = 1; launches <= 3; ++launches) {
    executable->launch(pointers);
    CHECK(out == launches * 5050);
  }
}

TEST_CASE("parallelFor covers every index once, in even shares of no more threads than there are grains") {
  for (int64_t count : {0, 1, 7, 8, 9, 16, 17, 1000}) {
    CAPTURE(count);
    std::mutex mutex;
    std::map<int64_t, int64_t> shares;  // their ends, by begin
    runtime::parallelFor(count, 8, [&](int64_t begin, int64_t end) {
      const std::scoped_lock lock(mutex);
      shares[begin] = end;
    });
    int64_t covered = 0, least = count, most = 0;
    for (const auto& [begin, end] : shares) {
      CHECK(begin == covered);
      covered = end;
      least = std::min(least, end - begin);
      most = std::max(most, end - begin);
    }
    CHECK(covered == count);
    CHECK(std::ssize(shares) <= (count + 7) / 8);
    CHECK(most - least <= 1);
  }
}

TEST_CASE("what a worker throws arrives") {
  CHECK_THROWS_WITH(runtime::parallelFor(100, 1, [](int64_t, int64_t) { throw std::runtime_error("from a worker"); }),
                    "from a worker");
}
