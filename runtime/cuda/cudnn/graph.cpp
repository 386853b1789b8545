#include "runtime/cuda/cudnn/graph.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <utility>

namespace runtime::cudnn {
namespace {

void* created(Kind kind) {
  void* made = nullptr;
  check(cudnnBackendCreateDescriptor(static_cast<int>(kind), &made), "cudnnBackendCreateDescriptor");
  return made;
}

/// Reads at most `asked` values of an attribute, and says how many there are.
int64_t get(const Descriptor& from, Attribute name, ValueType type, int64_t asked, void* values) {
  int64_t found = 0;
  check(cudnnBackendGetAttribute(from.get(), static_cast<int>(name), static_cast<int>(type), asked, &found, values),
        "cudnnBackendGetAttribute");
  return found;
}

}  // namespace

Descriptor::Descriptor(Kind kind) : made_(created(kind)) {}

Descriptor describe(const GraphTensor& tensor) {
  Descriptor made(Kind::Tensor);
  made.set(Attribute::TensorId, ValueType::Int64, tensor.id);
  made.set(Attribute::TensorType, ValueType::DataType, tensor.type);
  made.set(Attribute::TensorAlignment, ValueType::Int64, graphAlignment);
  made.set(Attribute::TensorSizes, ValueType::Int64, std::span<const int64_t>(tensor.sizes));
  made.set(Attribute::TensorStrides, ValueType::Int64, std::span<const int64_t>(tensor.strides));
  if (tensor.isValue) made.set(Attribute::TensorIsValue, ValueType::Boolean, true);
  made.finish();
  return made;
}

Plan::Plan(Handle handle, Descriptor node, std::vector<Descriptor> tensors)
    : tensors_(std::move(tensors)), node_(std::move(node)) {
  graph_.set(Attribute::GraphHandle, ValueType::Handle, handle);
  graph_.set(Attribute::GraphNodes, node_);
  graph_.finish();
  constexpr int accurate = 3, fallback = 2;
  for (const int mode : {accurate, fallback}) {
    configs_ = configsOf(mode);
    for (const Descriptor& config : configs_)
      if (take(handle, config)) return;
  }
  TORCH_CHECK(false, "cuDNN has no engine for it: ", refusal_);
}

/// The configurations of engines that the heuristics name, the fastest first; none where they refuse the graph.
std::vector<Descriptor> Plan::configsOf(int mode) {
  Descriptor heuristics(Kind::Heuristics);
  heuristics.set(Attribute::HeuristicsGraph, graph_);
  heuristics.set(Attribute::HeuristicsMode, ValueType::HeuristicsMode, mode);
  if (const Status status = heuristics.tryFinish(); status != 0) {
    refusal_ = reasonOf(status);
    return {};
  }
  const int64_t number = get(heuristics, Attribute::HeuristicsResults, ValueType::Descriptor, 0, nullptr);
  std::vector<Descriptor> configs;
  std::vector<void*> pointers;
  for (int64_t i = 0; i < number; ++i) pointers.push_back(configs.emplace_back(Kind::EngineConfig).get());
  const int64_t found =
      get(heuristics, Attribute::HeuristicsResults, ValueType::Descriptor, number, static_cast<void*>(pointers.data()));
  configs.erase(configs.begin() + std::min(found, number), configs.end());
  return configs;
}

/// Whether an engine of this configuration takes the graph.
bool Plan::take(Handle handle, const Descriptor& config) {
  Descriptor plan(Kind::ExecutionPlan);
  plan.set(Attribute::PlanHandle, ValueType::Handle, handle);
  plan.set(Attribute::PlanEngineConfig, config);
  if (const Status status = plan.tryFinish(); status != 0) {
    refusal_ = reasonOf(status);
    return false;
  }
  get(plan, Attribute::PlanWorkspaceBytes, ValueType::Int64, 1, &workspaceBytes_);
  plan_.emplace(std::move(plan));
  return true;
}

void Plan::run(Handle handle, std::span<const int64_t> ids, std::span<void* const> data, void* workspace) const {
  Descriptor pack(Kind::VariantPack);
  pack.set(Attribute::PackIds, ValueType::Int64, ids);
  pack.set(Attribute::PackPointers, ValueType::Pointer, data);
  pack.set(Attribute::PackWorkspace, ValueType::Pointer, workspace);
  pack.finish();
  check(cudnnBackendExecute(handle, plan_->get(), pack.get()), "cudnnBackendExecute");
}

}  // namespace runtime::cudnn
