#include "runtime/workloads/network/recurrent.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/error.h"
#include "runtime/workloads/network/keywords.h"

namespace runtime {
namespace {

constexpr int64_t mostOfSize = int64_t{1} << 31;
constexpr int64_t mostLayers = 1000;

/// The networks that there are.
struct Kind {
  std::string_view name;
  Cell cell = Cell::Lstm;
  bool hasLayerNorm = false, hasIdleNorms = false, hasLengths = false;
  double dropout = 0;
};
constexpr Kind kinds[] = {{"lstm"},
                          {"gru", Cell::Gru},
                          {"lstm_layernorm", Cell::Lstm, true},
                          {"lstm_layernorm_bound", Cell::Lstm, false, true},
                          {"vl_lstm", Cell::Lstm, false, false, true},
                          {"lstm_dropout", Cell::Lstm, false, false, false, 0.4}};

/// Whether sequences may have lengths of their own.
bool readName(const std::string& op, Recurrent& network, const Keywords& keywords) {
  const NetworkName name = networkNameOf(op);
  network.kind = name.network;
  network.isTraining = name.isTraining;
  const auto kind = std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& one) { return one.name == network.kind; });
  if (kind == std::end(kinds)) {
    std::vector<std::string_view> names;
    for (const Kind& one : kinds) names.push_back(one.name);
    keywords.refuse("there is no such network; there are {}", fmt::join(names, ", "));
  }
  network.cell = kind->cell;
  network.hasLayerNorm = kind->hasLayerNorm;
  network.hasIdleNorms = kind->hasIdleNorms;
  network.dropout = kind->dropout;
  if (network.hasIdleNorms && network.isTraining) keywords.refuse("it has no backward pass: its name ends in .inference");
  return kind->hasLengths;
}

void readInput(const inputs::Sample& sample, Recurrent& network, const Keywords& keywords) {
  const ir::TensorType* input = sample.args.size() == 1 ? sample.args[0].as<ir::TensorType>() : nullptr;
  if (input == nullptr || input->rank() != 3 || !input->isContiguous() || !ir::isFloating(input->dtype))
    keywords.refuse("it takes one contiguous floating tensor [length, batch, input]");
  for (const int64_t size : input->sizes)
    if (size < 1 || size > mostOfSize) keywords.refuse("sizes are whole numbers from 1 to {}, not {}", mostOfSize, size);
  network.dtype = input->dtype;
  network.length = input->sizes[0];
  network.batch = input->sizes[1];
  network.input = input->sizes[2];
}

void addNorms(std::vector<Parameter>& parameters, const std::string& suffix, int64_t gates, int64_t states) {
  for (const auto& [name, size] : {std::pair("norm_ih", gates), std::pair("norm_hh", gates), std::pair("norm_c", states)}) {
    parameters.push_back({fmt::format("{}{}.weight", name, suffix), {size}});
    parameters.push_back({fmt::format("{}{}.bias", name, suffix), {size}});
  }
}

void readLengths(Recurrent& network, Keywords& keywords) {
  network.lengths = keywords.numbers("lengths", 1, network.length);
  const bool isLongest =
      !network.lengths.empty() && *std::max_element(network.lengths.begin(), network.lengths.end()) == network.length;
  if (static_cast<int64_t>(network.lengths.size()) != network.batch || !isLongest)
    keywords.refuse("'lengths' must be {} numbers, the largest {}", network.batch, network.length);
}

}  // namespace

Recurrent recurrentOf(const inputs::Sample& sample) {
  Recurrent network;
  Keywords keywords(sample);
  const bool hasLengths = readName(sample.op, network, keywords);
  readInput(sample, network, keywords);
  network.hidden = keywords.number("hidden", network.input, 1, mostOfSize);
  if (!network.hasLayerNorm) network.layers = keywords.number("layers", 1, 1, mostLayers);
  if (!network.hasLayerNorm) network.projection = keywords.number("projection", 0, 0, network.hidden - 1);
  if (!network.hasLayerNorm) network.isBidirectional = keywords.flag("bidirectional");
  if (hasLengths) readLengths(network, keywords);
  network.script.fuser = keywords.word("fuser", network.script.fuser, {"te", "old", "none", "default"});
  network.script.executor = keywords.word("executor", "", {"legacy", "simple", "profiling"});
  network.script.loopLevels = keywords.number("pointwise_loop_levels", 0, 0, mostOfSize);
  network.script.blockCount = keywords.number("pointwise_block_count", 0, 0, mostOfSize);
  network.script.blockSize = keywords.number("pointwise_block_size", 0, 0, mostOfSize);
  keywords.requireAllKnown();
  if (network.projection > 0 && network.cell == Cell::Gru) keywords.refuse("a GRU has no projection");
  return network;
}

std::vector<Parameter> parametersOf(const Recurrent& network) {
  std::vector<Parameter> parameters;
  const int64_t rows = network.gates() * network.hidden;
  for (int64_t layer = 0; layer < network.layers; ++layer)
    for (int64_t direction = 0; direction < network.directions(); ++direction) {
      const std::string suffix = fmt::format("_l{}{}", layer, direction == 1 ? "_reverse" : "");
      const int64_t columns = layer == 0 ? network.input : network.directions() * network.outputSize();
      parameters.push_back({"weight_ih" + suffix, {rows, columns}});
      parameters.push_back({"weight_hh" + suffix, {rows, network.outputSize()}});
      if (network.hasLayerNorm) {
        addNorms(parameters, suffix, rows, network.hidden);
        continue;
      }
      parameters.push_back({"bias_ih" + suffix, {rows}});
      parameters.push_back({"bias_hh" + suffix, {rows}});
      if (network.projection > 0) parameters.push_back({"weight_hr" + suffix, {network.projection, network.hidden}});
    }
  return parameters;
}

int64_t parametersOfLayer(const Recurrent& network) { return network.hasLayerNorm ? 8 : network.projection > 0 ? 5 : 4; }

double stateBytes(const Recurrent& network) {
  const auto of = [](int64_t size) { return static_cast<double>(size); };
  const double layers = of(network.layers * network.directions()), rows = of(network.gates()) * of(network.hidden);
  const double inner = of(network.directions()) * of(network.outputSize());
  const double columns = of(network.input) * of(network.directions()) + inner * of(network.layers - 1) * of(network.directions());
  const double weights = rows * (columns + layers * (of(network.outputSize()) + 2));
  const double steps = of(network.length) * of(network.batch);
  const double elements = 2 * weights + steps * (of(network.input) + layers * (rows + of(network.outputSize())));
  return elements * static_cast<double>(ir::sizeOf(network.dtype));
}

}  // namespace runtime
