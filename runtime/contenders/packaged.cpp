#include "runtime/contenders/packaged.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <algorithm>
#include <utility>

#include "runtime/torch/call_graph.h"
#include "runtime/torch/state.h"
#include "runtime/torch/translate.h"

namespace runtime {
namespace {

/// For each output of a graph, its place among the graph's inputs; -1 where the output is no input.
std::vector<int> placesAmongInputs(const ir::Graph& graph) {
  std::vector<int> places;
  for (const int output : graph.outputs) {
    const auto input = std::find(graph.inputs.begin(), graph.inputs.end(), output);
    places.push_back(input == graph.inputs.end() ? -1 : static_cast<int>(input - graph.inputs.begin()));
  }
  return places;
}

class PackagedCallable : public Callable {
 public:
  PackagedCallable(Workload& workload, const ir::Graph& graph, const TensorList& constants, at::Device device,
                   const std::string& file)
      : workload_(workload),
        constants_(constants),
        loader_(file, "model", /*run_single_threaded=*/true, /*num_runners=*/1, device.index()),
        outputs_(placesAmongInputs(graph)) {
    kind = Kind::Generated;
    PackagedCallable::use(0);
  }

  void use(int number) override {
    inputs_ = graphInputs(workload_.operands(number));
    if (constants_) inputs_.insert(inputs_.end(), constants_.state().tensors.begin(), constants_.state().tensors.end());
  }

  TensorList operator()() override {
    const c10::InferenceMode guard;
    return translateErrors(workload_.op(), [this] {
      std::vector<at::Tensor> made = loader_.run(inputs_), outputs;
      size_t next = 0;
      for (const int place : outputs_)
        outputs.push_back(place < 0 ? std::move(made.at(next++)) : inputs_[static_cast<size_t>(place)]);
      return makeTensorList(std::move(outputs));
    });
  }

 private:
  Workload& workload_;
  const TensorList constants_;
  torch::inductor::AOTIModelPackageLoader loader_;
  const std::vector<int> outputs_;
  std::vector<at::Tensor> inputs_;
};

}  // namespace

CallablePtr packagedCallable(Workload& workload, const ir::Graph& graph, const TensorList& constants, const std::string& device,
                             const std::string& file) {
  return translateErrors(
      workload.op(), [&] { return std::make_unique<PackagedCallable>(workload, graph, constants, at::Device(device), file); });
}

}  // namespace runtime
