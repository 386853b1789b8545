#include "runtime/contenders/library/callables.h"

#include <c10/core/InferenceMode.h>

#include "runtime/contenders/library/candidate.h"
#include "runtime/contenders/library/results.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/state.h"
#include "runtime/torch/translate.h"
#include "runtime/workloads/call.h"

namespace runtime {
namespace {

class LibraryCallable : public Callable {
 public:
  LibraryCallable(AtenCall& call, std::string name, library::Way way, std::vector<ir::TensorType> types)
      : call_(call), way_(std::move(way)), types_(std::move(types)) {
    library = std::move(name);
  }

  TensorList operator()() override {
    const c10::InferenceMode guard;
    return translateErrors(call_.op, [this] {
      return makeTensorList(library::conformed(way_(library::Arguments(call_.handle, call_.set(set_))), types_, call_.device));
    });
  }
  void use(int number) override { set_ = number; }

 private:
  AtenCall& call_;
  library::Way way_;
  std::vector<ir::TensorType> types_;
  int set_ = 0;
};

}  // namespace

std::vector<CallablePtr> libraryCallables(Call& call, const ir::Graph& graph) {
  AtenCall& state = call.aten();
  std::vector<CallablePtr> callables;
  if (!state.effects.written.empty() || call.isView()) return callables;
  std::vector<ir::TensorType> types;
  for (const int output : graph.outputs) types.push_back(graph.values[output].type);
  const c10::InferenceMode guard;
  const library::Arguments arguments(state.handle, state.arguments);
  for (const library::Registered& candidate : library::registered()) {
    if (candidate.op != state.handle.schema().name()) continue;
    if (library::Way way = candidate.wayFor(arguments))
      callables.push_back(std::make_unique<LibraryCallable>(state, candidate.name, std::move(way), types));
  }
  return callables;
}

}  // namespace runtime
