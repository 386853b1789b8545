#include "opbench/networks/rnn.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "inputs/random.h"
#include "ir/error.h"
#include "opbench/networks/options/rnn.h"
#include "opbench/networks/options/words.h"
#include "runtime/known_contenders.h"
#include "runtime/workloads/network/recurrent.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

/// The networks that have one layer in one direction, whatever the options say; as in fastrnns.
bool isSimple(std::string_view network) { return network == "lstm_layernorm"; }

/// fastrnns' lengths of sequences: from 30 to 99.
std::vector<int64_t> lengthsOf(int64_t number, uint64_t seed) {
  constexpr int64_t shortest = 30, span = 70;
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < number; ++i)
    lengths.push_back(shortest + inputs::integerBelow(inputs::randomBits(seed, static_cast<uint64_t>(i)), span));
  return lengths;
}

/// The text of a sample whose keywords of default value are left out.
std::string callText(std::string_view network, const RnnOptions& options, uint64_t seed) {
  std::string keywords = fmt::format("'hidden': {}", options.hiddenSize);
  const auto number = [&](const char* name, int64_t value, int64_t otherwise) {
    if (value != otherwise) keywords += fmt::format(", '{}': {}", name, value);
  };
  if (!isSimple(network)) number("layers", options.numLayers, 1);
  if (!isSimple(network)) number("projection", options.projection, 0);
  if (options.isBidirectional && !isSimple(network)) keywords += ", 'bidirectional': True";
  if (options.fuser != "te") keywords += fmt::format(", 'fuser': '{}'", options.fuser);
  if (options.executor != "default") keywords += fmt::format(", 'executor': '{}'", options.executor);
  number("pointwise_loop_levels", options.loopLevels, 0);
  number("pointwise_block_count", options.blockCount, 0);
  number("pointwise_block_size", options.blockSize, 0);
  int64_t length = options.seqLength;
  if (network == "vl_lstm") {
    const std::vector<int64_t> lengths = lengthsOf(options.miniBatch, seed);
    length = *std::max_element(lengths.begin(), lengths.end());
    keywords += fmt::format(", 'lengths': [{}]", fmt::join(lengths, ", "));
  }
  return fmt::format("((T([{}, {}, {}], f32),), {{{}}})", length, options.miniBatch, options.inputSize, keywords);
}

inputs::Sample sampleOf(std::string_view network, const RnnOptions& options, uint64_t seed) {
  inputs::Sample sample;
  sample.op = fmt::format("rnn.{}.{}", network, network == "lstm_layernorm_bound" ? "inference" : "training");
  sample.suite = "fastrnns";
  sample.recorded = callText(network, options, seed);
  inputs::parseCall(sample.recorded, {"", 0}, 1, sample);
  return sample;
}

/// A step of each, as fastrnns has it: 32 images, and a random gradient of the output.
std::vector<inputs::Sample> cnnSamples(const RnnOptions& options) {
  constexpr int images = 32;
  std::vector<inputs::Sample> samples;
  for (const Cnn& cnn : cnnsOf(options)) {
    inputs::Sample sample;
    sample.op = fmt::format("model.{}.training", cnn.name);
    sample.suite = "fastrnns";
    sample.recorded = fmt::format("((T([{}, 3, 224, 224], f32),), {{'loss': 'gradient'}})", images);
    const bool isThere = std::any_of(samples.begin(), samples.end(), [&](const auto& one) { return one.op == sample.op; });
    if (isThere) continue;
    inputs::parseCall(sample.recorded, {"", 0}, 1, sample);
    samples.push_back(std::move(sample));
  }
  return samples;
}

/// The networks that creators compute, in the creators' order; networks of several lengths come first, as in fastrnns.
std::vector<std::string> networksOf(const RnnOptions& options) {
  const std::vector<std::string> cells = wordsOf(options.cells);
  std::vector<std::string> networks;
  for (const Contender& contender : contendersOf(options)) {
    const runtime::KnownContender* creator = runtime::creatorOf(contender.name());
    if (creator == nullptr) continue;  // of networks of images
    for (const std::string& network : wordsOf({std::string(creator->kinds)})) {
      const bool isCell = network == "lstm" || network == "gru";
      const bool isWanted = !isCell || std::find(cells.begin(), cells.end(), network) != cells.end();
      if (isWanted && std::find(networks.begin(), networks.end(), network) == networks.end()) networks.push_back(network);
    }
  }
  std::stable_partition(networks.begin(), networks.end(), [](const std::string& network) { return network.starts_with("vl_"); });
  return networks;
}

}  // namespace

std::vector<inputs::Sample> samplesOf(const RnnOptions& options, uint64_t seed, double room) {
  std::vector<inputs::Sample> samples = cnnSamples(options);
  if (!hasGroup(options, "rnns")) return samples;
  for (const std::string& network : networksOf(options)) {
    samples.push_back(sampleOf(network, options, seed));
    const double bytes = runtime::stateBytes(runtime::recurrentOf(samples.back()));
    if (bytes > room) fail(ErrorKind::Input, "a network of these sizes needs {:.3g} GB, more memory than there is", bytes * 1e-9);
  }
  return samples;
}

}  // namespace opbench
