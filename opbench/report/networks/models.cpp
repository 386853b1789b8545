#include "opbench/report/networks/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "opbench/report/networks/model_row.h"
#include "opbench/report/phrases.h"
#include "opbench/results/statistics.h"

namespace opbench::report {
namespace {

/// Hugging Face's time: the least mean of a round of ten runs, in seconds.
std::optional<double> leastMean(const Outcome& outcome) {
  if (!outcome.timing || outcome.timing->rounds.empty()) return std::nullopt;
  const std::vector<double>& runs = outcome.timing->rounds;
  std::optional<double> least;
  for (size_t begin = 0; begin < runs.size(); begin += runsOfRound) {
    const size_t end = std::min(runs.size(), begin + static_cast<size_t>(runsOfRound));
    const double mean =
        momentsOf({runs.begin() + static_cast<std::ptrdiff_t>(begin), runs.begin() + static_cast<std::ptrdiff_t>(end)}).mean;
    if (!least || mean < *least) least = mean;
  }
  return least;
}

/// The memory of an outcome, in megabytes of 2^20 bytes.
std::optional<double> megabytesInUse(const Outcome& outcome, const Run& run) {
  if (!outcome.memory) return std::nullopt;
  const std::optional<int64_t> bytes = isOnGpu(run) ? outcome.memory->device : outcome.memory->host;
  return bytes ? std::optional(static_cast<double>(*bytes >> 20)) : std::nullopt;
}

std::string missing(const Outcome& outcome) {
  return outcome.status == Status::Ok ? "N/A" : fmt::format("N/A ({}: {})", name(outcome.status), outcome.reason);
}

std::string timeText(const Outcome& outcome) {
  const std::optional<double> seconds = leastMean(outcome);
  if (!seconds) return missing(outcome);
  const double rounded = std::round(1000 * *seconds) / 1000;
  return rounded == 0 ? "< 0.001" : fmt::format("{}", rounded);
}

std::string memoryText(const Outcome& outcome, const Run& run) {
  const std::optional<double> megabytes = megabytesInUse(outcome, run);
  return megabytes ? fmt::format("{:.0f}", *megabytes) : missing(outcome);
}

/// A line's model: of a contender beside the first with its name.
std::string modelText(const ModelRow& model, const Row& row, const Outcome& outcome) {
  return &outcome == &row.outcomes.front() ? model.model : fmt::format("{} ({})", model.model, name(outcome.contender));
}

std::string hfTable(const std::vector<Row>& rows, bool isTraining, const std::string& title, const std::string& label,
                    const std::function<std::string(const Outcome&)>& result) {
  const std::string rule(80, '-');
  std::string text = fmt::format("\n{0}{1:^40}{0}\n{2}\n{3:^30}{4:^15}{5:^15}{6:^15}\n{2}\n", std::string(20, '='), title, rule,
                                 "Model Name", "Batch Size", "Seq Length", label);
  bool isAny = false;
  for (const Row& row : rows) {
    const ModelRow model = modelRowOf(row);
    if (model.isTraining != isTraining) continue;
    for (const Outcome& outcome : row.outcomes)
      text += fmt::format("{:^30.30}{:^15}{:^15}{:^15}\n", modelText(model, row, outcome), batchText(model), lengthText(model),
                          result(outcome));
    isAny = true;
  }
  return isAny ? text + rule + "\n" : "";
}

std::string rate(double number, const std::optional<Timing>& timing) {
  return timing && timing->median > 0 ? fmt::format("{:.4g}", number / timing->median) : "-";
}

std::string percentile(const Outcome& outcome, double share) {
  if (!outcome.timing || outcome.timing->rounds.empty()) return "-";
  return time(quantile(outcome.timing->rounds, share));
}

std::string memoryCell(std::optional<int64_t> bytes) {
  return bytes ? fmt::format("{:.1f}", static_cast<double>(*bytes) * 1e-6) : "-";
}

Cell notesOf(const Outcome& outcome, const Row& row) {
  if (outcome.status != Status::Ok) return {fmt::format("N/A ({}: {})", name(outcome.status), outcome.reason), Tone::Bad};
  std::string note = outcome.reason;
  if (!row.notFenced.empty()) note += (note.empty() ? "" : ", ") + ("ran without " + row.notFenced);
  return {note, Tone::Faint};
}

std::vector<std::pair<std::string, std::string>> factsOf(const Run& run) {
  return {{"framework", "PyTorch"},
          {"framework_version", run.environment.torch},
          {"date_time", run.started},
          {"host", run.environment.host},
          {"cpu", run.environment.cpu},
          {"opbench_version", run.version},
          {"use_gpu", isOnGpu(run) ? "True" : "False"},
          {"device", run.device},
          {"device_name", run.deviceName},
          {"fp16", run.dtype == "float16" ? "True" : "False"},
          {"threads", std::to_string(run.threads)},
          {"seed", std::to_string(run.seed)},
          {"options", run.options}};
}

}  // namespace

std::string huggingFaceTables(const std::vector<Row>& rows, const Run& run, HuggingFaceTables wanted) {
  const auto memory = [&](const Outcome& outcome) { return memoryText(outcome, run); };
  std::string text;
  for (const bool isTraining : {false, true}) {
    const auto add = [&](const char* title, const char* label, const auto& result) {
      text += hfTable(rows, isTraining, title, label, result);
    };
    if (wanted.speed) add(isTraining ? "TRAIN - SPEED - RESULTS" : "INFERENCE - SPEED - RESULT", "Time in s", timeText);
    if (wanted.memory) add(isTraining ? "TRAIN - MEMORY - RESULTS" : "INFERENCE - MEMORY - RESULT", "Memory in MB", memory);
  }
  if (!wanted.environment) return text;
  text += fmt::format("\n{0}{1:^40}{0}\n", std::string(20, '='), "ENVIRONMENT INFORMATION");
  for (const auto& [key, value] : factsOf(run)) text += fmt::format("- {}: {}\n", key, value);
  return text;
}

std::string huggingFaceCsv(const std::vector<Row>& rows, const Run& run, HuggingFaceFile file) {
  const bool isTraining = file == HuggingFaceFile::TrainTime || file == HuggingFaceFile::TrainMemory;
  const bool isTime = file == HuggingFaceFile::InferenceTime || file == HuggingFaceFile::TrainTime;
  std::string text = "model,batch_size,sequence_length,result\n";
  for (const Row& row : rows) {
    const ModelRow model = modelRowOf(row);
    if (model.isTraining != isTraining) continue;
    const Outcome& outcome = row.outcomes.front();
    const std::optional<double> found = isTime ? leastMean(outcome) : megabytesInUse(outcome, run);
    // Readers take both sizes for whole numbers, and memory for megabytes without a fraction.
    const std::string result = found ? fmt::format("{:.{}f}", *found, isTime ? 4 : 0) : csvWord(missing(outcome));
    text += fmt::format("{},{},{},{}\n", csvWord(model.model), model.batch, model.length.value_or(0), result);
  }
  return text;
}

std::string huggingFaceEnvironment(const Run& run) {
  std::string text = "key,value\n";
  for (const auto& [key, value] : factsOf(run)) text += fmt::format("{},{}\n", key, csvWord(value));
  return text;
}

std::string modelTable(const std::vector<Row>& rows, const Run& run, const Layout& layout) {
  size_t longest = 0;
  for (const Row& row : rows) longest = std::max(longest, modelRowOf(row).model.size() + 10);
  const bool isGpu = isOnGpu(run);
  std::vector<Column> columns{{"batch", 7, 0},    {"length", 8, 0},     {"contender", 13, 0}, {"first", 11, 3},
                              {"p50", 11, 0},     {"p90", 11, 1},       {"p95", 11, 3},       {"p99", 11, 1},
                              {"speedup", 15, 0}, {"samples/s", 11, 1}, {"tokens/s", 11, 2},  {"TFLOP/s", 9, 1},
                              {"of peak", 9, 1},  {"allocated", 11, 0}, {"planned", 9, 2}};
  if (isGpu)
    for (const char* heading : {"reserved", "process", "device"}) columns.push_back({heading, 10, 3});
  columns.push_back({"host", 10, 2});
  if (isGpu) columns.push_back({"mJ", 10, 1});
  columns.push_back({"precision", 13, 1});
  const Columns table("model", static_cast<int>(longest), columns, "notes", layout.room, layout.colour);
  std::string text = "\nmemory in MB of 10^6 bytes\n" + table.heading();
  for (const Row& row : rows) {
    const ModelRow model = modelRowOf(row);
    for (const Outcome& outcome : row.outcomes) {
      const auto& timing = outcome.timing;
      const bool isBaseline = &outcome == &row.outcomes.front();
      const auto batch = static_cast<double>(model.batch);
      std::vector<Cell> cells{{batchText(model)},
                              {lengthText(model)},
                              {std::string(name(outcome.contender))},
                              {outcome.firstSeconds ? time(*outcome.firstSeconds) : "-"},
                              {percentile(outcome, 0.5)},
                              {percentile(outcome, 0.9)},
                              {percentile(outcome, 0.95)},
                              {percentile(outcome, 0.99)},
                              {timing && isBaseline         ? "1.00x"
                               : timing && !outcome.speedup ? "-"
                                                            : speedupText(outcome)},
                              {rate(batch, timing)},
                              {model.length ? rate(batch * static_cast<double>(*model.length), timing) : "-"},
                              {outcome.flopsPerSecond ? fmt::format("{:.3g}", *outcome.flopsPerSecond * 1e-12) : "-"},
                              {percent(outcome.ofPeak)},
                              {outcome.memory ? memoryCell(outcome.memory->allocated) : "-"},
                              {memoryCell(outcome.plannedBytes)}};
      const auto memory = outcome.memory.value_or(runtime::MemoryPeaks());
      if (isGpu)
        for (const auto& bytes : {memory.reserved, memory.process, memory.device}) cells.push_back({memoryCell(bytes)});
      cells.push_back({memoryCell(memory.host)});
      if (isGpu) cells.push_back({outcome.joules ? fmt::format("{:.4g}", *outcome.joules * 1e3) : "-"});
      cells.push_back({outcome.arithmetic.empty() ? run.dtype : outcome.arithmetic});
      text += table.line(model.model + (model.isTraining ? " training" : ""), cells, notesOf(outcome, row));
    }
  }
  return text;
}

}  // namespace opbench::report
