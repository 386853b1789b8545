#include "runtime/cuda/copy.h"

#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <array>

#include "codegen/cuda.h"
#include "runtime/cuda/check.h"
#include "runtime/cuda/trial.h"

namespace runtime {
namespace {

constexpr int64_t elements = int64_t{1} << 28;  // of f32: 1 GiB

/// One 16-byte vector a thread.
ir::Kernel copyKernel() {
  constexpr int lanes = 4;
  constexpr int threads = 256;
  ir::Kernel kernel;
  kernel.name = "copy";
  kernel.backend = ir::Backend::Cuda;
  kernel.pool = std::make_shared<ir::ExprPool>();
  kernel.launch.block = threads;
  kernel.launch.grid = elements / (lanes * threads);
  kernel.index32 = true;
  const ir::TensorType type = ir::TensorType::contiguous(ir::DType::F32, {elements});
  kernel.params = {{{"from", type, 0, true, false}, 16}, {{"to", type, 1, false, true}, 16}};

  ir::ExprPool& pool = *kernel.pool;
  const ir::Expr* block = pool.axis(kernel.launch.grid);
  const ir::Expr* thread = pool.axis(threads);
  const ir::Expr* lane = pool.axis(lanes);
  const auto times = [&](const ir::Expr* x, int64_t by) { return pool.make(ir::Op::Mul, {x, pool.integer(ir::DType::I64, by)}); };
  const ir::Expr* offset = times(pool.make(ir::Op::Add, {times(block, threads), thread}), lanes);
  const ir::Expr* value = pool.load(0, ir::DType::F32, offset, ir::LoadMode::Contiguous);
  ir::Block body{{ir::Lanes{lane, nullptr, {{1, offset, value, true}}}}};
  body = {{ir::For{thread, ir::LoopKind::Thread, std::move(body)}}};
  kernel.body = {{ir::For{block, ir::LoopKind::Grid, std::move(body)}}};
  return kernel;
}

}  // namespace

double measureCopy(Device& device) {
  const c10::InferenceMode guard;
  const ExecutablePtr copy = device.compile(codegen::emitCuda(copyKernel(), device.target()), Cache(""));
  const auto options = at::TensorOptions(at::kFloat).device(at::Device(device.torchName()));
  const at::Tensor from = at::empty({elements}, options);
  const at::Tensor to = at::empty({elements}, options);
  const std::array<void*, 2> pointers{from.data_ptr(), to.data_ptr()};
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
  const int64_t bytes = elements * static_cast<int64_t>(sizeof(float));
  check(cudaMemsetAsync(pointers[0], 0x3c, static_cast<size_t>(bytes), stream), "cudaMemsetAsync");
  copy->launch(pointers.data());

  std::vector<EventPair> events(10);
  for (EventPair& pair : events) {
    pair.recordStart(stream);
    copy->launch(pointers.data());
    pair.recordStop(stream);
  }
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  std::vector<double> seconds;
  for (const EventPair& pair : events) seconds.push_back(pair.seconds());
  std::sort(seconds.begin(), seconds.end());
  return 2.0 * static_cast<double>(bytes) / ((seconds[4] + seconds[5]) / 2);
}

}  // namespace runtime
