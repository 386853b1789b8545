#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/target.h"
#include "lowering/tensor/reductions.h"
#include "lowering/tensor/stored.h"
#include "lowering/tensor/tensor.h"

namespace lowering {

/// What a lowering sees of one call: its arguments by schema name or position, and the types of its outputs.
class Context {
 public:
  Context(const ir::Graph& graph, const ir::Node& node, ir::Backend backend, const ir::AtenRules& aten, ir::ExprPool& pool,
          const std::vector<Tensor>& values, Reductions& reductions, Stored& stored)
      : graph_(graph),
        node_(node),
        backend_(backend),
        aten_(aten),
        pool_(pool),
        values_(values),
        reductions_(reductions),
        stored_(stored) {}

  /// What the call is compiled for: one formula may suit it better than another.
  ir::Backend backend() const { return backend_; }
  /// Whether results follow ATen's kernels for its host, where these compute otherwise than its kernels for CUDA.
  bool followsHost() const { return backend_ == ir::Backend::Cpu; }
  /// What the ATen whose results these are computes otherwise than other releases.
  const ir::AtenRules& aten() const { return aten_; }
  ir::ExprPool& pool() const { return pool_; }
  /// Where reductions are noted.
  Reductions& reductions() const { return reductions_; }
  /// The tensor, which is stored once and then read from memory: what is scattered to, or scanned, is of use to others only so.
  Tensor stored(const Tensor& tensor) const;
  int argumentCount() const { return static_cast<int>(node_.args.size()); }
  /// The value of an argument; an Internal error where there is none of that name.
  const ir::Argument& argument(const std::string& name) const;
  const ir::Argument& argument(int position) const;

  /// Whether the overload has an argument of that name.
  bool has(const std::string& name) const { return node_.find(name) != nullptr; }
  bool isNone(const std::string& name) const { return argument(name).is<ir::None>(); }
  Tensor tensor(const std::string& name) const { return tensorOf(argument(name)); }
  Tensor tensorOf(const ir::Argument& argument) const;
  /// How a tensor argument lies in memory.
  const ir::TensorType& typeOf(const std::string& name) const;
  /// A tensor argument that may be None.
  std::optional<Tensor> optionalTensor(const std::string& name) const;
  /// A list of tensors; one whose items may be None.
  Tensors tensors(const std::string& name) const;
  std::vector<std::optional<Tensor>> optionalTensors(const std::string& name) const;
  /// A number argument (bool, int or float) as double, which rounds integers beyond 2^53: a parameter, not an operand.
  double number(const std::string& name) const;
  int64_t integer(const std::string& name) const;
  bool flag(const std::string& name) const;
  /// A list of numbers, or one of them; nothing for None.
  std::optional<std::vector<double>> numbers(const std::string& name) const;
  /// A number argument as a constant of a dtype.
  Value constant(const std::string& name, ir::DType dtype) const;
  std::string text(const std::string& name) const;
  std::vector<int64_t> integers(const std::string& name) const;
  /// A dimension of a tensor of `rank` dimensions; negative ones count from its end.
  int64_t dim(const std::string& name, std::size_t rank) const;
  /// A list of bools: which outputs are wanted.
  std::vector<bool> flags(const std::string& name) const;
  /// A dimension or list of them, of a tensor of `rank` dimensions; all of them for None, an empty list and overloads without.
  Dims dims(const std::string& name, std::size_t rank) const;

  /// The seed and the number of the draw: two i64. Each call of a graph has a seed of its own.
  Tensor generator() const;

  int outputCount() const { return static_cast<int>(node_.outputs.size()); }
  /// Type of an output, or of the argument written in place that it is.
  const ir::TensorType& outputType(int i = 0) const;

 private:
  int valueOf(const ir::Argument& argument) const;
  double numberOf(const ir::Argument& value, const std::string& name) const;

  const ir::Graph& graph_;
  const ir::Node& node_;
  const ir::Backend backend_;
  const ir::AtenRules& aten_;
  ir::ExprPool& pool_;
  const std::vector<Tensor>& values_;  ///< by graph value
  Reductions& reductions_;
  Stored& stored_;
};

}  // namespace lowering
