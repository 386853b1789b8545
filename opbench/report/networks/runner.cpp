#include "opbench/report/networks/runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "opbench/report/networks/model_row.h"
#include "opbench/report/networks/words.h"
#include "opbench/report/phrases.h"
#include "opbench/results/statistics.h"

namespace opbench::report {
namespace {

/// The figures of a model's contender beside eager; nothing where it failed or was not measured.
struct RunnerFigures {
  std::optional<double> speedup, latency;    ///< the latter in seconds
  std::optional<double> compilation;         ///< seconds that its first run takes longer than eager's
  std::optional<double> compression;         ///< eager's peak of memory over its own
  std::optional<double> eagerPeak, ownPeak;  ///< bytes
};

std::optional<double> peakOf(const Outcome& outcome) {
  return outcome.memory ? std::optional(static_cast<double>(outcome.memory->allocated)) : std::nullopt;
}

bool isPass(const Row& row) { return accuracyWord(row).starts_with("pass"); }

RunnerFigures figuresOf(const Row& row) {
  RunnerFigures figures;
  if (!isPass(row)) return figures;
  const Outcome &eager = row.outcomes.front(), &compared = comparedOf(row);
  figures.speedup = compared.speedup;
  if (compared.timing) figures.latency = compared.timing->median;
  if (eager.firstSeconds && compared.firstSeconds)
    figures.compilation = std::max(0.0, *compared.firstSeconds - *eager.firstSeconds);
  figures.eagerPeak = peakOf(eager);
  figures.ownPeak = peakOf(compared);
  if (figures.eagerPeak && figures.ownPeak && *figures.ownPeak > 0) figures.compression = *figures.eagerPeak / *figures.ownPeak;
  return figures;
}

std::string peakText(std::optional<double> bytes) { return bytes ? fmt::format("{:.4g}", *bytes / 1e9) : "-"; }

std::string figure(std::optional<double> value, double unit = 1) { return value ? fmt::format("{:.4f}", *value / unit) : "-"; }

/// Why a model did not pass, or what else is worth knowing.
std::string reasonOf(const Row& row) {
  if (!row.notChecked.empty()) return row.notChecked;
  const Outcome &eager = row.outcomes.front(), &compared = comparedOf(row);
  return !eager.reason.empty() && eager.status != Status::Ok ? eager.reason : compared.reason;
}

std::string totalsText(const std::vector<Row>& rows, RunnerMode mode) {
  std::map<std::string, int> words;
  std::vector<double> speedups, compilations, compressions;
  int all = 0, passed = 0;
  for (const Row& row : rows) {
    const std::string word(accuracyWord(row));
    if (word.empty()) continue;
    ++words[word];
    ++all;
    passed += isPass(row);
    const RunnerFigures figures = figuresOf(row);
    if (figures.speedup) speedups.push_back(*figures.speedup);
    if (figures.compilation) compilations.push_back(*figures.compilation);
    if (figures.compression) compressions.push_back(*figures.compression);
  }
  std::vector<std::string> counts;
  for (const auto& [word, count] : words) counts.push_back(fmt::format("{} {}", count, word));
  std::string text = fmt::format("\npass rate: {} of {}", passed, counted(all, "model"));
  if (all > 0) text += fmt::format(", {:.0f}% ({})", 100.0 * passed / all, fmt::join(counts, ", "));
  text += "\n";
  if (mode == RunnerMode::Accuracy) return text;
  const auto add = [&](const char* what, const std::vector<double>& values, const auto& mean, const char* unit) {
    if (values.empty()) return;
    text += fmt::format("{}: {:.3f}{}, {}\n", what, mean(values), unit, counted(static_cast<int64_t>(values.size()), "model"));
  };
  const auto mean = [](const std::vector<double>& values) { return momentsOf(values).mean; };
  add("geometric mean of speedups", speedups, geomean, "x");
  add("mean compilation latency", compilations, mean, " s");
  add("geometric mean of compression ratios", compressions, geomean, "x");
  return text;
}

}  // namespace

std::string runnerTable(const std::vector<Row>& rows, const Run& run, RunnerMode mode, const Layout& layout) {
  constexpr double milli = 1e-3;
  const bool isTimed = mode == RunnerMode::Performance;
  size_t longest = 0;
  for (const Row& row : rows) longest = std::max(longest, modelRowOf(row).model.size());
  std::vector<Column> columns{{"batch", 7, 0}, {"accuracy", 23, 0}};
  if (isTimed)
    columns.insert(columns.end(), {{"speedup", 10, 0},
                                   {"latency/ms", 12, 0},
                                   {"compile/s", 11, 1},
                                   {"compression", 13, 1},
                                   {"eager GB", 10, 2},
                                   {"own GB", 10, 2}});
  const Columns table("model", static_cast<int>(longest), columns, "notes", layout.room, layout.colour);
  std::string text;
  for (const Row& row : rows) {
    const std::string_view word = accuracyWord(row);
    if (text.empty())
      text = fmt::format("\n{} against eager on {}, {}, {}\n{}", name(comparedOf(row).contender), run.device,
                         modelRowOf(row).isTraining ? "training" : "inference", run.dtype, table.heading());
    std::vector<Cell> cells{{batchText(modelRowOf(row))},
                            {word.empty() ? "-" : std::string(word), isPass(row) || word.empty() ? Tone::Plain : Tone::Bad}};
    const RunnerFigures figures = figuresOf(row);
    if (isTimed)
      for (std::string cell : {figure(figures.speedup), figure(figures.latency, milli), figure(figures.compilation),
                               figure(figures.compression), peakText(figures.eagerPeak), peakText(figures.ownPeak)})
        cells.push_back({std::move(cell)});
    text += table.line(modelRowOf(row).model, cells, {reasonOf(row), Tone::Faint});
  }
  return text + totalsText(rows, mode);
}

std::string runnerCsv(const std::vector<Row>& rows, const Run& run, RunnerMode mode) {
  constexpr double milli = 1e-3, giga = 1e9;
  const bool isTimed = mode == RunnerMode::Performance;
  std::string text = "dev,name,batch_size,";
  text += isTimed ? "speedup,abs_latency,compilation_latency,compression_ratio,eager_peak_mem,dynamo_peak_mem\n" : "accuracy\n";
  const std::string device = run.device.substr(0, run.device.find(':'));
  for (const Row& row : rows) {
    const std::string_view word = accuracyWord(row);
    if (word.empty()) continue;
    const ModelRow model = modelRowOf(row);
    text += fmt::format("{},{},{},", device, csvWord(model.model), model.batch);
    if (!isTimed) {
      text += fmt::format("{}\n", word);
      continue;
    }
    const RunnerFigures figures = figuresOf(row);
    text += fmt::format("{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}\n", figures.speedup.value_or(0),
                        figures.latency.value_or(0) / milli, figures.compilation.value_or(0), figures.compression.value_or(0),
                        figures.eagerPeak.value_or(0) / giga, figures.ownPeak.value_or(0) / giga);
  }
  return text;
}

}  // namespace opbench::report
