#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inputs/sample.h"
#include "ir/dtype.h"

namespace runtime {

/// How one step of a recurrent network makes its next state.
enum class Cell { Lstm, Gru };

/// How TorchScript runs what it compiles: switches of the process (settings.h).
struct ScriptSettings {
  std::string fuser = "te";  ///< `te`, `old`, `none`, or `default` for torch's own choice
  std::string executor;      ///< `legacy`, `simple`, `profiling`; empty is what the fuser brings along
  int64_t loopLevels = 0;    ///< of pointwise kernels on CUDA; 0 is torch's own choice
  int64_t blockCount = 0;    ///< the same
  int64_t blockSize = 0;     ///< the same
  bool operator==(const ScriptSettings&) const = default;
};

/// What a sample of the namespace `rnn` computes: `rnn.lstm.training` of a tensor [length, batch, input], and in keywords the
/// rest.
struct Recurrent {
  std::string kind;  ///< the name of the network: `lstm`, `gru`, `lstm_layernorm`
  Cell cell = Cell::Lstm;
  bool isTraining = true;  ///< whether there is a backward pass
  ir::DType dtype = ir::DType::F32;
  int64_t length = 0, batch = 0, input = 0;
  int64_t hidden = 0;
  int64_t layers = 1;
  int64_t projection = 0;  ///< size that the output of a step is projected to; 0 is none
  bool isBidirectional = false;
  bool hasLayerNorm = false;     ///< of both products of a step, which have no biases then, and of its cell state
  double dropout = 0;            ///< share of a layer's output that training drops before the next layer
  bool hasIdleNorms = false;     ///< three layer norms a step come after the network, whose results nobody uses
  std::vector<int64_t> lengths;  ///< of the sequences, where they are not all as long as the input; the longest is
  ScriptSettings script;

  int64_t directions() const { return isBidirectional ? 2 : 1; }
  int64_t gates() const { return cell == Cell::Lstm ? 4 : 3; }
  bool hasBiases() const { return !hasLayerNorm; }
  /// Extent of a step's output in one direction.
  int64_t outputSize() const { return projection > 0 ? projection : hidden; }
};

/// A weight of a network: `weight_ih_l0`.
struct Parameter {
  std::string name;
  std::vector<int64_t> sizes;
};

/// Reads a sample. Errors: Input, for a network that there is not, a keyword or value that is none, and sizes that are not
/// positive.
Recurrent recurrentOf(const inputs::Sample& sample);

/// The weights, layer by layer, direction by direction, in ATen's order: weight_ih, weight_hh, bias_ih, bias_hh, weight_hr; with
/// layer norms weight_ih, weight_hh, then weight and bias of the norms of the input's product, the state's, and the cell state.
std::vector<Parameter> parametersOf(const Recurrent& network);
/// How many of them a layer has in one direction.
int64_t parametersOfLayer(const Recurrent& network);

/// Bytes that a step keeps in memory at least: operands, gradients and each step's gates.
double stateBytes(const Recurrent& network);

}  // namespace runtime
