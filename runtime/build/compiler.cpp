#include "runtime/build/compiler.h"

#include <optional>

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

Compiler::Result Compiler::compile(const codegen::Program& program, const Cache& cache) {
  if (state_->orc) {
    const HostCode code = state_->orc->compile(program, cache);
    return {code.compileMs, code.cached};
  }
  const DeviceCode code = state_->nvrtc->compile(program, cache);
  return {code.compileMs, code.cached};
}

}  // namespace runtime
