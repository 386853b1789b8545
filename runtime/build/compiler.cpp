#include "runtime/build/compiler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <optional>

#include "ir/parallel.h"
#include "runtime/build/elapsed.h"
#include "runtime/build/nvrtc.h"
#include "runtime/build/orc.h"

namespace runtime {

struct Compiler::State {
  std::optional<Nvrtc> nvrtc;  ///< for a GPU,
  std::optional<Orc> orc;      ///< or for this machine
};

Compiler::Compiler(const ir::Target& target) : state_(std::make_unique<State>()) {
  switch (target.backend) {
    case ir::Backend::Cuda: state_->nvrtc.emplace(); return;
    case ir::Backend::Cpu: state_->orc.emplace(); return;
  }
}

Compiler::~Compiler() = default;

Compiler::Result Compiler::compile(const ir::KernelSource& program, const Cache& cache) {
  if (state_->orc) {
    const HostCode code = state_->orc->compile(program, cache);
    return {code.compileMs, code.cached};
  }
  const DeviceCode code = state_->nvrtc->compile(program, cache);
  return {code.compileMs, code.cached};
}

std::vector<std::size_t> longestFirst(const std::vector<ir::KernelSource>& programs) {
  std::vector<std::size_t> order(programs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return programs[a].source.size() > programs[b].source.size(); });
  return order;
}

double compileAll(const std::vector<ir::KernelSource>& programs, const ir::Target& target, const Cache& cache) {
  if (!cache.isOpen()) return 0;
  const auto start = std::chrono::steady_clock::now();
  Compiler compiler(target);
  const std::vector<std::size_t> order = longestFirst(programs);
  std::atomic<bool> areThere = true;
  ir::inParallel(programs.size(), [&](std::size_t i) {
    if (!compiler.compile(programs[order[i]], cache).cached) areThere = false;
  });
  return areThere ? 0 : millisecondsSince(start);
}

}  // namespace runtime
