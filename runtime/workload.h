#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inputs/data/distribution.h"
#include "inputs/sample.h"
#include "runtime/capture/capture.h"
#include "runtime/contender.h"
#include "runtime/memory.h"
#include "runtime/torch/tensor_list.h"
#include "runtime/torch/traffic.h"

namespace runtime {

class Call;
class Callable;

/// What is raced on one device: operands, a run whose results are the baseline of checks, and contenders by name.
class Workload {
 public:
  virtual ~Workload() = default;

  /// The sample's operator.
  virtual const std::string& op() const = 0;
  /// Draws the operands anew into the memory they have: whatever was made for the workload computes on them from then on.
  virtual void draw(uint64_t seed, const inputs::Data& data) = 0;
  /// How often data of inputs::Distribution::Specials have to be drawn so that rows of operands hold every thing (Data::turn).
  virtual int64_t turnsOfRows() const { return 1; }
  /// Puts the drawn values back into the operands of a set that runs write.
  virtual void restore(int set = 0) = 0;
  /// Asks for `sets` sets of operands, equal in value and each in memory of its own, so that runs can find data that no cache
  /// holds. Returns how many there are then. Error: Unsupported where they do not fit.
  virtual int multiply(int sets) = 0;

  /// Whether runs write operands.
  virtual bool mutates() const = 0;
  /// Whether runs draw random numbers.
  virtual bool isRandom() const = 0;
  /// Whether contenders draw numbers each in its own way, so that only runs that draw none can be compared. They draw none while
  /// chance is set off.
  virtual bool drawsDiffer() const { return false; }
  virtual void setChance(bool /*isOn*/) {}
  /// The tensors of a set that runs read or write, in the order of the inputs of graph().
  virtual TensorList operands(int set = 0) const = 0;
  /// The tensors that no run may write.
  virtual TensorList readOnly() const = 0;
  /// Bytes of memory that one set of operands takes.
  virtual int64_t operandBytes() const = 0;

  /// Runs the baseline of checks on copies of the tensors that it writes: its outputs stay valid.
  virtual TensorList runEager() = 0;
  /// runEager() with other random numbers than the runs before, where it draws any.
  virtual TensorList runEagerAgain() { return runEager(); }
  /// runEager() in float64; empty where there is no such form.
  virtual TensorList runEagerInFloat64() = 0;
  /// Both runs of a call on contiguous copies of its operands, with results that lie as runEager()'s do: what eager means where
  /// its kernels take strides wrongly. Empty where all are contiguous, where the operator computes with strides, or draws random
  /// numbers, and for what is no single call.
  virtual EagerRuns runEagerOnContiguous() { return {}; }
  /// Runs the baseline on operands that are off by a rounding of its arithmetic, up or down as `seed` says: any run may be as far
  /// off as this moves its results. Empty for a single call.
  virtual TensorList runEagerNearby(uint64_t /*seed*/) { return {}; }
  /// Runs the baseline once, where it is a contender, and says what each of its parts adds to the memory that tensors hold, by
  /// their first calls; empty where it has no parts that can be told.
  virtual std::vector<MemoryLine> traceMemory(MemoryWatch&) { return {}; }
  /// An output of a run in words: `output 0`.
  virtual std::string outputName(int output) const = 0;
  /// The number of outputs of runs, and the name of an operand, as far as they are known before a run, as networks' are.
  virtual int outputs() const { return 0; }
  virtual std::string operandName(int) const { return ""; }
  /// The contender whose code runEager() is, which therefore is not judged; nothing where all are.
  virtual std::optional<Contender> reference() const = 0;

  /// The run of the baseline as one graph, whose first inputs are operands(); chance is at its beginning. Nothing for what is a
  /// single call. Error: Unsupported for what graphs do not hold.
  virtual std::optional<Capture> capture(Audit) { return std::nullopt; }

  /// What the compiler makes kernels of: the workload as one graph, with the types of its operands and of `outputs`
  /// (runEager()'s). Error: Internal for a network, which is more than that.
  virtual ir::Graph graph(const TensorList& outputs) const;
  /// What a run has to move, where there is such a graph.
  virtual Traffic traffic(const ir::Graph& /*graph*/) const { return {}; }
  /// Whether it computes and writes nothing: all outputs are views of operands, or memory that is left as it was allocated.
  virtual bool isView() { return false; }
  /// The seed that its operands were drawn from last.
  virtual uint64_t seed() const { return 0; }

  /// Describes a callable that runs a capture: the arithmetic that it computes in, and the limits of its check.
  virtual void describe(Callable&) const {}
  /// The contender of a name. Errors: Input where the workload has none of that name, Unsupported where it cannot be made.
  virtual std::unique_ptr<Callable> make(const Contender& contender) = 0;
  /// The call that the workload is; null where it is not a single one.
  virtual Call* call() { return nullptr; }
};

}  // namespace runtime
