#include "opbench/networks/rnn.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "inputs/random.h"
#include "ir/error.h"
#include "opbench/networks/words.h"
#include "opbench/settings/number_option.h"
#include "opbench/text/nearest.h"
#include "runtime/known_contenders.h"
#include "runtime/workloads/network/recurrent.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

constexpr std::string_view rnnFooter =
    "All options of a race work as well: --device, --dtype, --json, --resume, --seed, --threads, --no-timing and the others.\n"
    "Prints fastrnns' table, in milliseconds, then medians and the ratio to the first creator's time. A result that is not that "
    "of a float64 reference has no time. docs/networks.md says more.\n"
    "Exit status: 0 all fine; 1 a result was wrong or failed; 2 usage; 3 no such device.";

std::vector<std::string> creatorNames() {
  std::vector<std::string> names;
  for (const runtime::KnownContender& creator : runtime::creators()) names.emplace_back(creator.name);
  return names;
}

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

bool hasGroup(const RnnOptions& options, std::string_view group) {
  const std::vector<std::string> groups = wordsOf(options.groups);
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

constexpr int imagesOfCnns = 32;
/// A network of images that is asked for: its name, and who computes it.
struct Cnn {
  std::string name;
  Contender contender;
};
Cnn cnnOf(const std::string& text) {
  for (const auto& [suffix, contender] : {std::pair("_jit", Contender::Torchscript), {"_opbench", Contender::Opbench}})
    if (text.ends_with(suffix)) return {text.substr(0, text.rfind('_')), contender};
  return {text, Contender::Eager};
}

/// The networks of images that are asked for.
std::vector<std::string> cnnsOf(const RnnOptions& options) {
  if (!hasGroup(options, "cnns")) return {};
  if (options.cnns.empty())
    return {"resnet18", "resnet18_jit", "resnet18_opbench", "resnet50", "resnet50_jit", "resnet50_opbench"};
  return wordsOf(options.cnns);
}

/// A step of each, as fastrnns has it: 32 images, and a random gradient of the output.
std::vector<inputs::Sample> cnnSamples(const RnnOptions& options) {
  std::vector<inputs::Sample> samples;
  for (const std::string& name : cnnsOf(options)) {
    inputs::Sample sample;
    sample.op = fmt::format("model.{}.training", cnnOf(name).name);
    sample.suite = "fastrnns";
    sample.recorded = fmt::format("((T([{}, 3, 224, 224], f32),), {{'loss': 'gradient'}})", imagesOfCnns);
    const bool isThere = std::any_of(samples.begin(), samples.end(), [&](const auto& one) { return one.op == sample.op; });
    if (isThere) continue;
    inputs::parseCall(sample.recorded, {"", 0}, 1, sample);
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace

void declareNetworks(CLI::App& verb, RnnOptions& options) {
  addNumber(verb, "--seqLength", options.seqLength, "Steps of a sequence")->capture_default_str();
  addNumber(verb, "--numLayers", options.numLayers, "Layers")->capture_default_str();
  addNumber(verb, "--inputSize", options.inputSize, "Elements of a step's input")->capture_default_str();
  addNumber(verb, "--hiddenSize", options.hiddenSize, "Elements of a state")->capture_default_str();
  addNumber(verb, "--miniBatch", options.miniBatch, "Sequences")->capture_default_str();
  const auto list = [&](const char* name, std::vector<std::string>& values, const std::string& description) {
    return verb.add_option(name, values, description)->expected(1, -1)->type_name("NAME");
  };
  list("--rnns", options.rnns, fmt::format("Creators, the first is the baseline: {}", fmt::join(creatorNames(), ", ")))
      ->expected(0, -1);
  list("--cells", options.cells, "Cells: lstm, gru (default: lstm)");
  verb.add_flag("--variable-lstms,--variable_lstms", options.variableLstms, "Also race LSTMs over sequences of 30 to 99 steps");
  addNumber(verb, "--projection", options.projection, "Elements that an LSTM's output is projected to; 0 is none");
  verb.add_flag("--bidirectional", options.isBidirectional, "Read sequences from both ends");
  verb.add_option("--fuser", options.fuser, "TorchScript's fuser")->type_name("te|old|none|default")->capture_default_str();
  verb.add_option("--executor", options.executor, "TorchScript's executor; default is the fuser's")
      ->type_name("legacy|simple|profiling|default")
      ->capture_default_str();
  addNumber(verb, "--cuda-pointwise-loop-level,--cuda_pointwise_loop_level", options.loopLevels,
            "Loop levels of the fuser's pointwise kernels; 0 leaves them to torch");
  addNumber(verb, "--cuda-pointwise-block-count,--cuda_pointwise_block_count", options.blockCount, "Their blocks, the same");
  addNumber(verb, "--cuda-pointwise-block-size,--cuda_pointwise_block_size", options.blockSize,
            "Their threads a block, the same");
}

void declareRnn(CLI::App& app, RnnOptions& options, int64_t& warmups, int64_t& runs) {
  CLI::App* verb = app.add_subcommand("rnn", "Race recurrent networks, forward and backward, as PyTorch's fastrnns does");
  verb->alias("cnn");
  verb->fallthrough();
  verb->footer(std::string(rnnFooter));
  declareNetworks(*verb, options);
  addNumber(*verb, "--warmup", warmups, "Runs of each creator that do not count")->capture_default_str();
  addNumber(*verb, "--nloops", runs, "Runs of each creator that count")->capture_default_str();
  verb->add_option("--group", options.groups, "Groups of networks: rnns, cnns (default: rnns; of opbench cnn: cnns)")
      ->expected(1, -1)
      ->type_name("NAME");
  verb->add_option(
          "--cnns", options.cnns,
          "Networks of images, each as it is, with _jit traced, and with _opbench as a plan (default: resnet18 and resnet50 in "
          "all three forms)")
      ->expected(1, -1)
      ->type_name("NAME");
  verb->add_option("--sep", options.sep, "Text between the columns of fastrnns' table")->type_name("TEXT");
  verb->add_option("--print-json,--print_json", options.printJson, "Print JSON alone (default: oss)")
      ->expected(0, 1)
      ->type_name("oss|pep");
}

void check(const RnnOptions& options) {
  requirePositive("--seqLength", options.seqLength);
  requirePositive("--numLayers", options.numLayers);
  requirePositive("--inputSize", options.inputSize);
  requirePositive("--hiddenSize", options.hiddenSize);
  requirePositive("--miniBatch", options.miniBatch);
  if (options.projection < 0 || options.projection >= options.hiddenSize)
    fail(ErrorKind::Input, "--projection must be less than --hiddenSize {}, and 0 is none; got {}", options.hiddenSize,
         options.projection);
  for (const std::string& cell : wordsOf(options.cells)) requireOneOf("--cells", cell, {"lstm", "gru"});
  for (const std::string& group : wordsOf(options.groups)) requireOneOf("--group", group, {"rnns", "cnns"});
  if (!options.printJson.empty()) requireOneOf("--print-json", options.printJson, {"oss", "pep"});
  requireOneOf("--fuser", options.fuser, {"te", "old", "none", "default"});
  requireOneOf("--executor", options.executor, {"legacy", "simple", "profiling", "default"});
  for (const std::string& name : wordsOf(options.rnns))
    if (runtime::creatorOf(name) == nullptr)
      fail(ErrorKind::Input, "unknown creator '{}'{}; there are {}", name, suggestion(nearest(name, creatorNames())),
           fmt::join(creatorNames(), ", "));
}

std::vector<Contender> contendersOf(const RnnOptions& options) {
  std::vector<Contender> contenders;
  const auto add = [&](std::string_view name) {
    const Contender contender{std::string(name)};
    if (std::find(contenders.begin(), contenders.end(), contender) == contenders.end()) contenders.push_back(contender);
  };
  for (const std::string& name : cnnsOf(options)) add(cnnOf(name).contender.name());
  if (!hasGroup(options, "rnns")) return contenders;
  const std::vector<std::string> named = wordsOf(options.rnns);
  for (const std::string& name : named) add(name);
  for (const runtime::KnownContender& creator : runtime::creators()) {
    if (creator.isDefault && named.empty()) add(creator.name);
    if (options.variableLstms && runtime::computes(creator, "vl_lstm")) add(creator.name);
  }
  return contenders;
}

namespace {

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

std::string labelOf(const RnnOptions& options) {
  std::string names;
  for (const Contender& contender : contendersOf(options)) names += (names.empty() ? "" : "-") + contender.name();
  return fmt::format("{}_s{}-l{}-i{}-h{}-b{}", names, options.seqLength, options.numLayers, options.inputSize, options.hiddenSize,
                     options.miniBatch);
}

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
