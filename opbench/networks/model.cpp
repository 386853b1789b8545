#include "opbench/networks/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "inputs/model_names.h"
#include "ir/error.h"
#include "opbench/networks/description.h"
#include "opbench/networks/options/model.h"
#include "opbench/networks/runner.h"
#include "opbench/text/nearest.h"
#include "runtime/program/extents.h"
#include "runtime/program/programs.h"
#include "runtime/program/script.h"
#include "runtime/torch/types.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

std::string argumentText(const runtime::ProgramInput& input, const std::vector<int64_t>& sizes) {
  return fmt::format("T([{}], {})", fmt::join(sizes, ", "), ir::name(runtime::dtypeOf(input.dtype)));
}

std::optional<InputRange> rangeOf(const runtime::ProgramInput& input, const ModelOptions& options) {
  for (const std::string& text : options.inputRanges)
    if (const InputRange range = inputRangeOf(text); range.name.empty() || range.name == input.name) return range;
  return input.bound ? std::optional(InputRange{"", input.least, *input.bound}) : std::nullopt;
}

/// The keywords `bounds` and, where one is not 0, `least`, where a range is given: a number for each input of integers.
std::string boundsText(const std::vector<runtime::ProgramInput>& inputs, const ModelOptions& options) {
  if (options.inputRanges.empty()) return "";
  std::vector<int64_t> bounds, least;
  for (const runtime::ProgramInput& input : inputs) {
    if (!at::isIntegralType(input.dtype, /*includeBool=*/false)) continue;
    const std::optional<InputRange> range = rangeOf(input, options);
    if (!range)
      fail(ErrorKind::Input, "nothing says how large the integers of input {} may be: add --input-range {}=0..N", input.name,
           input.name);
    bounds.push_back(range->bound);
    least.push_back(range->least);
  }
  if (bounds.empty()) return "";
  const bool areFromZero = std::all_of(least.begin(), least.end(), [](int64_t number) { return number == 0; });
  return fmt::format("'bounds': [{}]{}", fmt::join(bounds, ", "),
                     areFromZero ? "" : fmt::format(", 'least': [{}]", fmt::join(least, ", ")));
}

/// The keywords of a sample; keywords of default value are left out.
std::string keywordText(const ModelOptions& options, bool isTraining, const std::string& bounds) {
  std::vector<std::string> keywords;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) keywords.push_back(fmt::format("'{}': '{}'", name, value));
  };
  add("dtype", options.isHalf ? "float16" : options.dtype);
  if (options.isChannelsLast) keywords.emplace_back("'channels_last': True");
  if (!bounds.empty()) keywords.push_back(bounds);
  add("amp", options.amp);
  if (isTraining) add("loss", options.loss);
  if (isTraining) add("optimizer", options.optimizer);
  if (isTraining && !options.optimizer.empty()) add("optimizer_form", options.optimizerForm);
  if (isTraining && options.scalesGradients) keywords.emplace_back("'grad_scaler': True");
  return fmt::format("{{{}}}", fmt::join(keywords, ", "));
}

std::string operatorOf(const std::string& name, bool isTraining) {
  return fmt::format("model.{}.{}", name, isTraining ? "training" : "inference");
}

inputs::Sample sampleOf(const std::string& name, bool isTraining, const std::vector<std::string>& arguments,
                        const std::string& keywords) {
  inputs::Sample sample;
  sample.op = operatorOf(name, isTraining);
  sample.suite = "models";
  sample.recorded = fmt::format("(({}{}), {})", fmt::join(arguments, ", "), arguments.size() == 1 ? "," : "", keywords);
  inputs::parseCall(sample.recorded, {"", 0}, 1, sample);
  return sample;
}

/// Whether a program reads tokens, and so has a sequence's length.
bool readsTokens(const std::vector<runtime::ProgramInput>& inputs) {
  return !inputs.empty() && !at::isFloatingType(inputs.front().dtype) && inputs.front().dimensions.size() > 1;
}

/// The inputs of TorchScript files. Their batches are open, and so are lengths of tokens: `--batch-sizes` and
/// `--sequence-lengths` set them.
std::vector<runtime::ProgramInput> describedInputs(const ModelOptions& options) {
  constexpr int64_t most = int64_t{1} << 31;
  std::vector<runtime::ProgramInput> inputs;
  for (const std::string& text : options.inputs)
    inputs.push_back(runtime::parseInput(text, fmt::format("input {}", inputs.size())));
  for (runtime::ProgramInput& input : inputs)
    for (size_t d = 0; d < std::min(input.dimensions.size(), size_t{2}); ++d) {
      const bool isLength = d == 1 && at::isIntegralType(input.dtype, /*includeBool=*/false);
      const std::vector<runtime::Dimension>& first = inputs.front().dimensions;
      if ((d == 1 && !isLength) || d >= first.size() || input.dimensions[d].extent != first[d].extent) continue;
      input.dimensions[d] = {first[d].extent, static_cast<int>(d), 1, most};
    }
  return inputs;
}

/// What is asked of a program that does not take it, as far as its first input has these dimensions.
std::vector<std::vector<int64_t>> asIfTaken(const std::vector<runtime::ProgramInput>& inputs, std::optional<int64_t> batch,
                                            std::optional<int64_t> length) {
  std::vector<std::vector<int64_t>> sizes;
  for (const runtime::ProgramInput& input : inputs) sizes.push_back(input.sizes());
  if (batch && !sizes.empty() && !sizes[0].empty()) sizes[0][0] = *batch;
  if (length && !sizes.empty() && sizes[0].size() > 1) sizes[0][1] = *length;
  return sizes;
}

/// A program's inputs, and the sizes that are asked of them.
struct AskedProgram {
  std::vector<runtime::ProgramInput> inputs;
  std::vector<std::optional<int64_t>> batches, lengths;
};

AskedProgram askedOf(Description program, const ModelOptions& options) {
  const auto otherwise = [](const std::vector<int64_t>& asked, std::vector<std::optional<int64_t>> defaults) {
    return asked.empty() ? std::move(defaults) : std::vector<std::optional<int64_t>>(asked.begin(), asked.end());
  };
  // The inputs of TorchScript are described with their sizes; the runner takes the sizes that an archive was exported with.
  const bool haveSizes = program.isScript || options.runner.isOn;
  using Sizes = std::vector<std::optional<int64_t>>;
  AskedProgram asked{std::move(program.inputs), otherwise(options.batchSizes, haveSizes ? Sizes{std::nullopt} : Sizes{8}),
                     otherwise(options.sequenceLengths, haveSizes ? Sizes{std::nullopt} : Sizes{8, 32, 128, 512})};
  // A program that fixes its batch or length, or has none, has its own default.
  const auto isOpen = [&](size_t dimension) {
    const std::vector<runtime::ProgramInput>& inputs = asked.inputs;
    return !inputs.empty() && dimension < inputs.front().dimensions.size() && inputs.front().dimensions[dimension].isOpen();
  };
  if (options.batchSizes.empty() && !isOpen(0)) asked.batches = {std::nullopt};
  if (options.sequenceLengths.empty() && !isOpen(1)) asked.lengths = {std::nullopt};
  if (!readsTokens(asked.inputs)) asked.lengths = {std::nullopt};
  return asked;
}

/// Adds the samples of a model in one mode.
void addSamples(const std::string& name, bool isTraining, const ModelOptions& options, const runtime::Programs& programs,
                const Describe& describe, std::vector<inputs::Sample>& samples) {
  AskedProgram asked;
  try {
    asked = askedOf(describe(programs.fileOf(name, isTraining, options.isHalf ? "float16" : "float32"), describedInputs(options)),
                    options);
  } catch (const ir::Error&) {  // its row says why
    std::vector<std::string> arguments;
    for (const runtime::ProgramInput& input : describedInputs(options)) arguments.push_back(argumentText(input, input.sizes()));
    samples.push_back(sampleOf(name, isTraining, arguments, keywordText(options, isTraining, "")));
    return;
  }
  for (const std::optional<int64_t> batch : asked.batches)
    for (const std::optional<int64_t> length : asked.lengths) {
      std::vector<std::vector<int64_t>> sizes;
      try {
        sizes = bindExtents(asked.inputs, batch, length).sizes;
      } catch (const ir::Error&) {  // its row says why
        sizes = asIfTaken(asked.inputs, batch, length);
      }
      samples.push_back(sampleOf(name, isTraining, asked.inputs, sizes, options));
    }
}

}  // namespace

inputs::Sample sampleOf(const std::string& name, bool isTraining, const std::vector<runtime::ProgramInput>& inputs,
                        const std::vector<std::vector<int64_t>>& sizes, const ModelOptions& options) {
  std::vector<std::string> arguments;
  for (size_t i = 0; i < sizes.size(); ++i) arguments.push_back(argumentText(inputs[i], sizes[i]));
  return sampleOf(name, isTraining, arguments, keywordText(options, isTraining, boundsText(inputs, options)));
}

std::string modelName(const std::string& word, const runtime::Programs& programs) {
  std::string name = nameAndFile(word).first;
  const std::vector<std::string> known = programs.names();
  const auto isKnown = [&] { return std::find(known.begin(), known.end(), name) != known.end(); };
  if (!isKnown()) name = inputs::modelNameOf(name);
  if (!isKnown())
    fail(ErrorKind::Input, "there is no model '{}'{}; there are {}", name, suggestion(nearest(name, known)),
         fmt::join(known, ", "));
  return name;
}

std::vector<inputs::Sample> samplesOf(const ModelOptions& options, const runtime::Programs& programs, const SuiteConfig& config,
                                      const Describe& describe) {
  if (options.models.empty() && !options.runner.isOn)
    fail(ErrorKind::Input, "model: name at least one; there are {}", fmt::join(programs.names(), ", "));
  std::vector<inputs::Sample> samples;
  for (const std::string& model : modelsOf(options, programs)) {
    const std::string name = options.isWithoutHead ? model + "_base" : model;
    for (const bool isTraining : {false, true})
      if (isTraining ? options.isTraining : !options.noInference)
        addSamples(name, isTraining, optionsFor(operatorOf(name, isTraining), options, config), programs, describe, samples);
  }
  return samples;
}

}  // namespace opbench
