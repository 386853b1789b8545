#include "runtime/contenders/packaged.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include "runtime/torch/call_graph.h"
#include "runtime/torch/state.h"
#include "runtime/torch/translate.h"
#include "runtime/workloads/network/step.h"

namespace runtime {
namespace {

/// The places in a text like `3,0,12`.
std::vector<size_t> placesOf(const std::string& text) {
  std::vector<size_t> places;
  for (std::istringstream stream(text); stream.good();) {
    std::string number;
    std::getline(stream, number, ',');
    places.push_back(std::stoul(number));
  }
  return places;
}

/// The code of a part of a graph, which is called on its own. A place is a number among the graph's inputs and, after them, the
/// results of each stage.
struct Stage {
  std::unique_ptr<torch::inductor::AOTIModelPackageLoader> loader;
  std::vector<size_t> takes;  ///< the places of its arguments
  std::set<size_t> last;      ///< those among them that nobody reads afterwards
};

class PackagedCallable : public Callable {
 public:
  PackagedCallable(Workload& workload, const TensorList& constants, at::Device device, const std::string& file)
      : workload_(workload), constants_(constants), device_(device) {
    kind = Kind::Generated;
    load(file);
    PackagedCallable::use(0);
    findLast();
  }

  void use(int number) override {
    inputs_ = graphInputs(workload_.operands(number));
    if (constants_) inputs_.insert(inputs_.end(), constants_.state().tensors.begin(), constants_.state().tensors.end());
  }

  void reseed() override { reseedGenerator(device_); }

  TensorList operator()() override {
    const c10::InferenceMode guard;
    return translateErrors(workload_.op(), [this] {
      std::vector<at::Tensor> held = inputs_, outputs;
      for (const Stage& stage : stages_) {
        std::vector<at::Tensor> arguments;
        for (const size_t place : stage.takes)
          arguments.push_back(stage.last.contains(place) ? std::move(held.at(place)) : held.at(place));
        for (at::Tensor& result : stage.loader->boxed_run(std::move(arguments))) held.push_back(std::move(result));
      }
      for (const size_t place : returns_) outputs.push_back(held.at(place));
      return makeTensorList(std::move(outputs));
    });
  }

 private:
  void load(const std::string& file) {
    for (std::string name = "model"; !name.empty();) {
      auto loader = std::make_unique<torch::inductor::AOTIModelPackageLoader>(file, name, /*run_single_threaded=*/true,
                                                                              /*num_runners=*/1, device_.index());
      const auto metadata = loader->get_metadata();
      stages_.push_back({std::move(loader), placesOf(metadata.at("takes")), {}});
      const auto next = metadata.find("next");
      name = next == metadata.end() ? "" : next->second;
      if (name.empty()) returns_ = placesOf(metadata.at("returns"));
    }
  }

  /// A stage owns what it is the last to read, and frees it as soon as it has.
  void findLast() {
    std::set<size_t> read(returns_.begin(), returns_.end());
    for (size_t i = 0; i < inputs_.size(); ++i) read.insert(i);
    for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
      for (const size_t place : stage->takes)
        if (!read.contains(place)) stage->last.insert(place);
      read.insert(stage->takes.begin(), stage->takes.end());
    }
  }

  Workload& workload_;
  const TensorList constants_;
  const at::Device device_;
  std::vector<Stage> stages_;
  std::vector<size_t> returns_;  ///< the places of the graph's outputs
  std::vector<at::Tensor> inputs_;
};

}  // namespace

CallablePtr packagedCallable(Workload& workload, const TensorList& constants, const std::string& device,
                             const std::string& file) {
  return translateErrors(workload.op(),
                         [&] { return std::make_unique<PackagedCallable>(workload, constants, at::Device(device), file); });
}

}  // namespace runtime
