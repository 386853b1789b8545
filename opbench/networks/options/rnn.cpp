#include "opbench/networks/options/rnn.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ir/error.h"
#include "opbench/networks/options/words.h"
#include "opbench/settings/number_option.h"
#include "opbench/text/nearest.h"
#include "runtime/known_contenders.h"

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

Cnn cnnOf(const std::string& text) {
  for (const auto& [suffix, contender] : {std::pair("_jit", Contender::Torchscript), {"_opbench", Contender::Opbench}})
    if (text.ends_with(suffix)) return {text.substr(0, text.rfind('_')), contender};
  return {text, Contender::Eager};
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

bool hasGroup(const RnnOptions& options, std::string_view group) {
  const std::vector<std::string> groups = wordsOf(options.groups);
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

std::vector<Cnn> cnnsOf(const RnnOptions& options) {
  if (!hasGroup(options, "cnns")) return {};
  std::vector<std::string> names = wordsOf(options.cnns);
  if (options.cnns.empty())
    names = {"resnet18", "resnet18_jit", "resnet18_opbench", "resnet50", "resnet50_jit", "resnet50_opbench"};
  std::vector<Cnn> cnns;
  for (const std::string& name : names) cnns.push_back(cnnOf(name));
  return cnns;
}

std::vector<Contender> contendersOf(const RnnOptions& options) {
  std::vector<Contender> contenders;
  const auto add = [&](std::string_view name) {
    const Contender contender{std::string(name)};
    if (std::find(contenders.begin(), contenders.end(), contender) == contenders.end()) contenders.push_back(contender);
  };
  for (const Cnn& cnn : cnnsOf(options)) add(cnn.contender.name());
  if (!hasGroup(options, "rnns")) return contenders;
  const std::vector<std::string> named = wordsOf(options.rnns);
  for (const std::string& name : named) add(name);
  for (const runtime::KnownContender& creator : runtime::creators()) {
    if (creator.isDefault && named.empty()) add(creator.name);
    if (options.variableLstms && runtime::computes(creator, "vl_lstm")) add(creator.name);
  }
  return contenders;
}

std::string labelOf(const RnnOptions& options) {
  std::string names;
  for (const Contender& contender : contendersOf(options)) names += (names.empty() ? "" : "-") + contender.name();
  return fmt::format("{}_s{}-l{}-i{}-h{}-b{}", names, options.seqLength, options.numLayers, options.inputSize, options.hiddenSize,
                     options.miniBatch);
}

}  // namespace opbench
