#include "runtime/workloads/call.h"

#include <c10/core/InferenceMode.h>

#include "inputs/data/rows.h"
#include "runtime/callable.h"
#include "runtime/device.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/state.h"
#include "runtime/torch/translate.h"
#include "runtime/torch/types.h"

namespace runtime {
namespace {

/// ATen's call through the dispatcher, as a plan's fallback step makes it too.
class AtenCallable : public Callable {
 public:
  explicit AtenCallable(AtenCall& call) : call_(call) { kind = call.isView() ? Kind::View : Kind::Fallback; }

  TensorList operator()() override {
    const c10::InferenceMode guard;
    return translateErrors(call_.op, [this] { return makeTensorList(call_.run(call_.set(set_), stack_)); });
  }
  void use(int number) override { set_ = number; }
  void reseed() override { call_.seedGenerator(); }

 private:
  AtenCall& call_;
  int set_ = 0;
  torch::jit::Stack stack_;  ///< keeps its memory between calls
};

}  // namespace

Call::Call(const inputs::Sample& sample, Device& device, uint64_t seed, const inputs::Data& data) {
  call_ =
      translateErrors(sample.op, [&] { return std::make_unique<AtenCall>(sample, at::Device(device.torchName()), seed, data); });
}

Call::~Call() = default;

TensorList Call::eager() {
  const c10::InferenceMode guard;
  torch::jit::Stack stack;
  return translateErrors(call_->op, [&] { return makeTensorList(call_->run(call_->arguments, stack)); });
}

TensorList Call::runEager() { return runOnCopies(*call_); }

TensorList Call::runEagerAgain() { return runOnCopiesAgain(*call_); }

TensorList Call::runEagerInFloat64() { return runInFloat64(*call_); }

EagerRuns Call::runEagerOnContiguous() { return runOnContiguous(*call_); }

ir::Graph Call::graph(const TensorList& outputs) const { return graphOf(*call_, outputs); }

Traffic Call::traffic(const ir::Graph& graph) const { return call_->isView() ? Traffic{} : trafficOf(graph); }

int Call::multiply(int sets) {
  const c10::InferenceMode guard;
  while (static_cast<int>(call_->copies.size()) + 1 < sets) translateErrors(call_->op, [&] { call_->addSet(); });
  return static_cast<int>(call_->copies.size()) + 1;
}

TensorList Call::operands(int set) const { return makeTensorList(call_->operands(set)); }

TensorList Call::readOnly() const {
  std::vector<at::Tensor> tensors;
  for (std::size_t i = 0; i < call_->arguments.size(); ++i) {
    if (call_->isWritten(static_cast<int>(i))) continue;
    for (at::Tensor& tensor : tensorsIn(call_->arguments[i])) tensors.push_back(std::move(tensor));
  }
  return makeTensorList(std::move(tensors));
}

int64_t Call::operandBytes() const {
  const TensorList all = operands();
  int64_t bytes = 0;
  for (const at::Tensor& tensor : all.state().tensors) bytes += flatStorage(tensor).nbytes();
  return bytes;
}

const std::string& Call::op() const { return call_->op; }

std::string Call::outputName(int output) const { return fmt::format("output {}", output); }

uint64_t Call::seed() const { return call_->seed; }

int64_t Call::turnsOfRows() const { return inputs::turnsOf(call_->sample); }

bool Call::isView() { return call_->isView(); }

bool Call::mutates() const { return !call_->effects.written.empty(); }

bool Call::isRandom() const { return call_->effects.isRandom; }

void Call::draw(uint64_t seed, const inputs::Data& data) {
  translateErrors(call_->op, [&] { call_->draw(seed, data); });
}

void Call::restore(int set) { call_->restore(set); }

CallablePtr Call::make(const Contender& contender) {
  if (contender == Contender::Eager) return eagerCallable(*this);
  ir::fail(ir::ErrorKind::Input, "{} has no contender '{}'", op(), contender.name());
}

CallablePtr eagerCallable(Call& call) { return std::make_unique<AtenCallable>(call.aten()); }

}  // namespace runtime
