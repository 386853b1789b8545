#include "opbench/networks/rnn.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ir/error.h"
#include "opbench/cli/nearest.h"
#include "opbench/cli/number_option.h"
#include "runtime/network/creators.h"
#include "runtime/network/recurrent.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

constexpr std::string_view rnnFooter =
    "All options of a race work as well: --device, --dtype, --json, --resume, --seed, --threads, --no-timing and the others.\n"
    "Prints fastrnns' table, in milliseconds, then medians and the ratio to the first creator's time. A result that is not that "
    "of\n"
    "a float64 reference has no time. docs/networks.md says more.\n"
    "Exit status: 0 all fine; 1 a result was wrong or failed; 2 usage; 3 no such device.";

/// Lists take blanks or commas.
std::vector<std::string> wordsOf(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts)
    for (size_t from = 0; from <= text.size();) {
      const size_t to = std::min(text.find(',', from), text.size());
      if (to > from) words.push_back(text.substr(from, to - from));
      from = to + 1;
    }
  return words;
}

void requireOneOf(std::string_view option, const std::string& word, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), word) == known.end())
    fail(ErrorKind::Input, "{} must be one of {}, got '{}'", option, fmt::join(known, ", "), word);
}

std::vector<std::string> creatorNames() {
  std::vector<std::string> names;
  for (const runtime::Creator& creator : runtime::creators()) names.emplace_back(creator.name);
  return names;
}

void requirePositive(std::string_view option, int64_t value) {
  constexpr int64_t most = int64_t{1} << 31;
  if (value < 1 || value > most) fail(ErrorKind::Input, "{} must be from 1 to {}, got {}", option, most, value);
}

/// The text of a sample whose keywords of default value are left out.
std::string callText(const RnnOptions& options) {
  std::string keywords = fmt::format("'hidden': {}", options.hiddenSize);
  const auto number = [&](const char* name, int64_t value, int64_t otherwise) {
    if (value != otherwise) keywords += fmt::format(", '{}': {}", name, value);
  };
  number("layers", options.numLayers, 1);
  number("projection", options.projection, 0);
  if (options.isBidirectional) keywords += ", 'bidirectional': True";
  if (options.fuser != "te") keywords += fmt::format(", 'fuser': '{}'", options.fuser);
  if (options.executor != "default") keywords += fmt::format(", 'executor': '{}'", options.executor);
  number("pointwise_loop_levels", options.loopLevels, 0);
  number("pointwise_block_count", options.blockCount, 0);
  number("pointwise_block_size", options.blockSize, 0);
  return fmt::format("((T([{}, {}, {}], f32),), {{{}}})", options.seqLength, options.miniBatch, options.inputSize, keywords);
}

inputs::Sample sampleOf(const std::string& op, const RnnOptions& options) {
  inputs::Sample sample;
  sample.op = op;
  sample.suite = "fastrnns";
  sample.recorded = callText(options);
  inputs::parseCall(sample.recorded, {"", 0}, 1, sample);
  return sample;
}

}  // namespace

void declareRnn(CLI::App& app, RnnOptions& options, int64_t& warmups, int64_t& runs) {
  CLI::App* verb = app.add_subcommand("rnn", "Race recurrent networks, forward and backward, as PyTorch's fastrnns does");
  verb->fallthrough();
  verb->footer(std::string(rnnFooter));
  addNumber(*verb, "--seqLength", options.seqLength, "Steps of a sequence")->capture_default_str();
  addNumber(*verb, "--numLayers", options.numLayers, "Layers")->capture_default_str();
  addNumber(*verb, "--inputSize", options.inputSize, "Elements of a step's input")->capture_default_str();
  addNumber(*verb, "--hiddenSize", options.hiddenSize, "Elements of a state")->capture_default_str();
  addNumber(*verb, "--miniBatch", options.miniBatch, "Sequences")->capture_default_str();
  addNumber(*verb, "--warmup", warmups, "Runs of each creator that do not count")->capture_default_str();
  addNumber(*verb, "--nloops", runs, "Runs of each creator that count")->capture_default_str();
  const auto list = [&](const char* name, std::vector<std::string>& values, const std::string& description) {
    return verb->add_option(name, values, description)->expected(1, -1)->type_name("NAME");
  };
  list("--rnns", options.rnns, fmt::format("Creators, the first is the baseline: {}", fmt::join(creatorNames(), ", ")));
  list("--cells", options.cells, "Cells: lstm, gru (default: lstm)");
  list("--group", options.groups, "Groups of networks: rnns (default: rnns)");
  addNumber(*verb, "--projection", options.projection, "Elements that an LSTM's output is projected to; 0 is none");
  verb->add_flag("--bidirectional", options.isBidirectional, "Read sequences from both ends");
  verb->add_option("--sep", options.sep, "Text between the columns of fastrnns' table")->type_name("TEXT");
  verb->add_option("--print-json,--print_json", options.printJson, "Print JSON alone: oss (the default) or pep")
      ->expected(0, 1)
      ->type_name("FORM");
  verb->add_option("--fuser", options.fuser, "TorchScript's fuser: te, old, none or default")->capture_default_str();
  verb->add_option("--executor", options.executor, "TorchScript's executor: legacy, simple, profiling or default (the fuser's)")
      ->capture_default_str();
  addNumber(*verb, "--cuda-pointwise-loop-level,--cuda_pointwise_loop_level", options.loopLevels,
            "Loop levels of the fuser's pointwise kernels; 0 leaves them to torch");
  addNumber(*verb, "--cuda-pointwise-block-count,--cuda_pointwise_block_count", options.blockCount, "Their blocks, the same");
  addNumber(*verb, "--cuda-pointwise-block-size,--cuda_pointwise_block_size", options.blockSize,
            "Their threads a block, the same");
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
  for (const std::string& group : wordsOf(options.groups)) requireOneOf("--group", group, {"rnns"});
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
  for (const std::string& name : wordsOf(options.rnns)) add(name);
  if (!contenders.empty()) return contenders;
  for (const runtime::Creator& creator : runtime::creators())
    if (creator.isDefault) add(creator.name);
  return contenders;
}

std::vector<inputs::Sample> samplesOf(const RnnOptions& options) {
  constexpr double mostBytes = 1e13;  // more than any machine has
  std::vector<inputs::Sample> samples;
  for (const std::string& cell : wordsOf(options.cells)) {
    samples.push_back(sampleOf(fmt::format("rnn.{}.training", cell), options));
    const double bytes = runtime::stateBytes(runtime::recurrentOf(samples.back()));
    if (bytes > mostBytes)
      fail(ErrorKind::Input, "a network of these sizes needs {:.3g} GB, more memory than any machine has", bytes * 1e-9);
  }
  return samples;
}

}  // namespace opbench
