#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/cuda/cudnn/library.h"

namespace runtime::cudnn {

/// The part of cuDNN's graph API that is used, by the numbers of cudnn_graph.h.
enum class Kind : int {
  EngineConfig = 3,
  Heuristics = 4,
  ExecutionPlan = 5,
  Graph = 15,
  VariantPack = 16,
  Tensor = 17,
  NormForward = 29
};
enum class Attribute : int {
  HeuristicsMode = 200,
  HeuristicsGraph = 201,
  HeuristicsResults = 202,
  PlanHandle = 400,
  PlanEngineConfig = 401,
  PlanWorkspaceBytes = 402,
  GraphHandle = 800,
  GraphNodes = 801,
  TensorAlignment = 900,
  TensorType = 901,
  TensorSizes = 902,
  TensorStrides = 903,
  TensorId = 906,
  TensorIsValue = 908,
  PackIds = 1000,
  PackPointers = 1001,
  PackWorkspace = 1003,
  NormMode = 2000,
  NormPhase = 2001,
  NormX = 2002,
  NormMean = 2003,
  NormInverseDeviation = 2004,
  NormWeight = 2005,
  NormBias = 2006,
  NormEpsilon = 2007,
  NormY = 2013
};
enum class ValueType : int {
  Handle = 0,
  DataType = 1,
  Boolean = 2,
  Int64 = 3,
  Pointer = 6,
  HeuristicsMode = 8,
  Descriptor = 15,
  NormMode = 27,
  NormPhase = 28
};

/// A descriptor of the graph API: its attributes are set, then it is finished.
class Descriptor {
 public:
  explicit Descriptor(Kind kind);

  template <typename T>
  void set(Attribute name, ValueType type, std::span<const T> values) {
    check(cudnnBackendSetAttribute(made_.get(), static_cast<int>(name), static_cast<int>(type),
                                   static_cast<int64_t>(values.size()), values.data()),
          "cudnnBackendSetAttribute");
  }
  template <typename T>
  void set(Attribute name, ValueType type, const T& value) {
    set(name, type, std::span<const T>(&value, 1));
  }
  void set(Attribute name, const Descriptor& other) { set(name, ValueType::Descriptor, other.get()); }
  void finish() { check(tryFinish(), "cudnnBackendFinalize"); }
  Status tryFinish() { return cudnnBackendFinalize(made_.get()); }
  void* get() const { return made_.get(); }

 private:
  struct End {
    void operator()(void* descriptor) const { cudnnBackendDestroyDescriptor(descriptor); }
  };
  std::unique_ptr<void, End> made_;
};

/// A tensor of a graph. A run is given its data by its number.
struct GraphTensor {
  int64_t id;
  DataType type;
  std::array<int64_t, 4> sizes, strides;
  bool isValue = false;  ///< one number, on the host
};
constexpr int64_t graphAlignment = 16;  ///< of the data of all of them, in bytes
Descriptor describe(const GraphTensor& tensor);

/// cuDNN's way of computing a graph of one node: the first engine from its heuristics' list that supports the graph.
class Plan {
 public:
  /// The node, and the tensors that it names. c10::Error where cuDNN has no engine for it.
  Plan(Handle handle, Descriptor node, std::vector<Descriptor> tensors);

  /// Queues a run on the handle's stream. `workspace` has workspaceBytes().
  void run(Handle handle, std::span<const int64_t> ids, std::span<void* const> data, void* workspace) const;
  int64_t workspaceBytes() const { return workspaceBytes_; }

 private:
  std::vector<Descriptor> configsOf(int mode);
  bool take(Handle handle, const Descriptor& config);

  std::vector<Descriptor> tensors_;
  Descriptor node_;
  Descriptor graph_{Kind::Graph};
  std::vector<Descriptor> configs_;  ///< the plan refers to one
  std::optional<Descriptor> plan_;
  int64_t workspaceBytes_ = 0;
  std::string refusal_ = "its heuristics name none";  ///< by the last engine that has refused
};

}  // namespace runtime::cudnn
