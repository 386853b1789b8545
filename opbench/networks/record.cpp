#include "opbench/networks/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <optional>

#include "inputs/convert.h"
#include "inputs/files.h"
#include "inputs/region_file.h"
#include "inputs/text/words.h"
#include "ir/error.h"
#include "ir/text/text.h"
#include "opbench/networks/options/words.h"
#include "opbench/run/memory.h"
#include "opbench/run/regions.h"
#include "opbench/settings/options.h"
#include "runtime/capture/choices.h"
#include "runtime/capture/recording.h"
#include "runtime/capture/replay.h"
#include "runtime/device.h"
#include "runtime/program/extents.h"
#include "runtime/program/programs.h"
#include "runtime/torch/tensor_list.h"
#include "runtime/workloads/make.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;
using runtime::Capture;
using runtime::TensorList;

std::vector<int64_t> sizesFrom(const std::string& text, const std::string& whole) {
  std::vector<int64_t> sizes;
  for (const std::string_view word : inputs::split(text, ",")) {
    int64_t size = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error != std::errc() || end != word.data() + word.size() || size < 1)
      fail(ErrorKind::Input, "--input must be sizes, as in 2,128 or NAME=2,128, got '{}'", whole);
    sizes.push_back(size);
  }
  return sizes;
}

/// The least time of a step in seconds, of three.
double eagerSeconds(runtime::Workload& workload, runtime::Device& device) {
  using Clock = std::chrono::steady_clock;
  const runtime::CallablePtr eager = workload.make(Contender::Eager);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    workload.restore();
    device.synchronize();
    const Clock::time_point start = Clock::now();
    (*eager)();
    device.synchronize();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
  }
  workload.restore();
  return least;
}

/// What differs where a captured graph is replayed, a line each.
std::vector<std::string> differences(const Capture& capture, runtime::Workload& workload) {
  std::vector<std::string> lines = capture.undeclared;
  workload.make(Contender::Eager)->reseed();
  workload.restore();
  const runtime::Replay again = runtime::replay(capture, workload.operands());
  for (int i = 0; i < capture.outputs.size(); ++i)
    if (!runtime::bitwiseEqual(capture.outputs, again.outputs, i))
      lines.push_back(fmt::format("{} differs when the calls are made once more", workload.outputName(i)));
  if (again.hostReads != capture.hostReads)
    lines.emplace_back("numbers that the host reads differ when the calls are made once more");
  if (ir::parseGraph(ir::toText(capture.graph)) != capture.graph)
    lines.emplace_back("the text of its graph is read back to another one");
  workload.restore();
  return lines;
}

int64_t callsOf(const std::vector<inputs::Sample>& samples) {
  int64_t calls = 0;
  for (const inputs::Sample& sample : samples) calls += sample.count;
  return calls;
}

size_t operatorsOf(const std::vector<inputs::Sample>& samples) {
  std::vector<std::string> operators;
  for (const inputs::Sample& sample : samples) operators.push_back(sample.op);
  std::sort(operators.begin(), operators.end());
  return static_cast<size_t>(std::unique(operators.begin(), operators.end()) - operators.begin());
}

/// The sizes of all inputs of a program: the sizes that the texts give, else the exported ones. Errors: Input.
std::vector<std::vector<int64_t>> inputSizes(const std::vector<std::string>& texts,
                                             const std::vector<runtime::ProgramInput>& inputs) {
  std::vector<std::optional<std::vector<int64_t>>> given(inputs.size());
  size_t next = 0;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    const std::string name = equals == std::string::npos ? "" : text.substr(0, equals);
    const auto named = std::find_if(inputs.begin(), inputs.end(), [&](const auto& input) { return input.name == name; });
    const size_t place = equals == std::string::npos ? next++ : static_cast<size_t>(named - inputs.begin());
    if (place >= inputs.size()) {
      std::vector<std::string> names;
      for (const runtime::ProgramInput& input : inputs) names.push_back(input.name);
      fail(ErrorKind::Input, "--input {}: the model has no such input; it has {}", text, fmt::join(names, ", "));
    }
    if (given[place]) fail(ErrorKind::Input, "--input: {} is given twice", inputs[place].name);
    given[place] = sizesFrom(equals == std::string::npos ? text : text.substr(equals + 1), text);
  }
  const bool areAllGiven = std::all_of(given.begin(), given.end(), [](const auto& sizes) { return sizes.has_value(); });
  std::vector<std::vector<int64_t>> sizes(inputs.size());
  if (!areAllGiven) sizes = runtime::bindExtents(inputs, std::nullopt).sizes;
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i]) sizes[i] = *given[i];
  runtime::checkExtents(inputs, sizes);
  return sizes;
}

}  // namespace

Recording recordingOf(const Options& options, runtime::Device& device) {
  const RecordOptions& recording = options.recording;
  const ModelOptions& model = recording.model;
  const runtime::Programs programs(options.modelsFolder, options.programs);
  const std::string name = modelName(wordsOf(model.models, ",").front(), programs);
  const auto inputs =
      runtime::openProgram(programs.fileOf(name, model.isTraining, model.isHalf ? "float16" : "float32"))->inputs();
  const inputs::Sample sample = inputs::convert(
      sampleOf(name, model.isTraining, inputs, inputSizes(recording.inputs, inputs), model), options.dtype, options.channelsLast);
  checkMemory(neededForArguments(sample, options), device);
  const auto workload = runtime::makeWorkload(sample, device, options.seed, {}, programs);
  std::optional<runtime::PortableOperators> portable;
  if (recording.isPortable) portable.emplace();
  const double seconds = eagerSeconds(*workload, device);
  const auto capture = workload->capture(runtime::Audit::No);
  const std::vector<inputs::Sample> samples = runtime::recordedSamples(capture->graph, recording.allCalls);
  Recording found;
  found.calls = inputs::toText(samples);
  found.report =
      fmt::format("{}: {} {}\n", recording.out.empty() ? recording.regions : recording.out, sample.op, inputs::toText(sample));
  found.report +=
      fmt::format("{} calls of {} operators, {} of them different; {} calls left out\n", callsOf(samples), operatorsOf(samples),
                  samples.size(), static_cast<int64_t>(capture->graph.nodes.size()) - callsOf(samples));
  found.report += fmt::format("a step takes {:.2f} ms, recorded {:.2f} ms\n", seconds * 1e3, capture->seconds * 1e3);
  if (!recording.regions.empty()) {
    const std::vector<inputs::Sample> regions = regionsOf(capture->graph, device.target());
    found.regions = regionFiles(regions, sample);
    found.report += fmt::format("{} regions, {} of them different, of {} of {} calls\n", callsOf(regions), regions.size(),
                                callsIn(regions), capture->graph.nodes.size());
  }
  if (!recording.isChecked) return found;
  const runtime::RepeatableCudnn repeatable;
  const std::vector<std::string> differing = differences(*workload->capture(runtime::Audit::Yes), *workload);
  for (const std::string& line : differing) found.report += "check: " + line + "\n";
  if (differing.empty())
    found.report +=
        fmt::format("check: made once more, the calls give the same bits in all {} results\n", capture->outputs.size());
  found.isFine = differing.empty();
  return found;
}

void write(const Recording& recording, const RecordOptions& options, std::ostream& out) {
  if (!options.out.empty()) inputs::writeFile(options.out, recording.calls);
  if (!options.regions.empty()) inputs::writeRegions(recording.regions, options.regions);
  out << recording.report;
}

}  // namespace opbench
