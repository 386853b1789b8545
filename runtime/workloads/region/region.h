#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/callable.h"
#include "runtime/capture/bound_graph.h"
#include "runtime/workload.h"
#include "runtime/workloads/region/index_sources.h"

namespace runtime {

class Device;

/// A region of a network (inputs/region.h) on one device: calls that the compiler takes as one graph. The baseline makes the
/// calls one after another.
class Region : public Workload {
 public:
  /// Inputs are drawn as the calls that read them first would have them drawn. Errors: Input for a text that is no region, or one
  /// that ATen's results do not fit; Unsupported for calls that draw random numbers; and Call's.
  Region(const inputs::Sample& sample, Device& device, uint64_t seed, const inputs::Data& data);
  /// The calls of a graph on these inputs, of which it copies what calls write; nothing else can be drawn.
  Region(std::string op, ir::Graph graph, std::vector<at::Tensor> inputs);

  const std::string& op() const override { return op_; }
  void draw(uint64_t seed, const inputs::Data& data) override;
  void restore(int set = 0) override;
  int multiply(int sets) override;
  bool mutates() const override { return !written_.empty(); }
  bool isRandom() const override { return false; }
  TensorList operands(int set = 0) const override;
  TensorList readOnly() const override;
  int64_t turnsOfRows() const override { return turnsOfRows_; }
  int64_t operandBytes() const override;
  TensorList runEager() override;
  TensorList runEagerInFloat64() override;
  TensorList runEagerNearby(uint64_t seed) override;
  std::string outputName(int output) const override;
  std::optional<Contender> reference() const override { return Contender::Eager; }
  ir::Graph graph(const TensorList& /*outputs*/) const override { return graph_; }
  Traffic traffic(const ir::Graph& graph) const override { return trafficOf(graph); }
  uint64_t seed() const override { return seed_; }
  CallablePtr make(const Contender& contender) override;

  /// The calls on a set of operands.
  TensorList run(int set) const;

 private:
  using Tensors = std::vector<at::Tensor>;

  Tensors drawn(uint64_t seed, const inputs::Data& data) const;
  at::Tensor drawn(size_t input, uint64_t seed, const inputs::Data& data) const;
  bool isWritten(size_t input) const;

  std::string op_;
  ir::Graph graph_;
  at::Device device_;
  uint64_t seed_;
  int64_t turnsOfRows_ = 1;
  std::optional<IndexSources> indexSources_;
  BoundGraph calls_;
  std::vector<size_t> written_;  ///< inputs that calls write, ascending
  std::vector<Tensors> sets_;
  Tensors pristine_;  ///< the storages of written inputs as they were drawn
};

}  // namespace runtime
