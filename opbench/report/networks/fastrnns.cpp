#include "opbench/report/networks/fastrnns.h"
#include "inputs/operator_name.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace opbench::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t columnWidth = 16;

/// Right-aligned, or cut.
std::string fitted(const std::string& text) {
  return text.size() < columnWidth ? std::string(columnWidth - text.size(), ' ') + text : text.substr(0, columnWidth);
}

std::string lineOf(const std::vector<std::string>& items, const std::string& sep) {
  std::string line;
  for (const std::string& item : items) line += (line.empty() ? "" : sep) + fitted(item);
  return line + "\n";
}

/// A float as Python's `.4g` prints it.
std::string figure(double value) { return fmt::format("{:.4g}", value); }

/// The unit of a run's times: fastrnns has its events' milliseconds on a GPU, and Python's seconds on a CPU.
struct Unit {
  explicit Unit(const Run& run) : isGpu(isOnGpu(run)) {}
  double of(double seconds) const { return isGpu ? seconds * 1e3 : seconds; }
  const char* name() const { return isGpu ? "ms" : "s"; }
  bool isGpu;
};

/// The runs of a phase; none where it is not there.
std::vector<double> runsOf(const Timing& timing, const std::string& name) {
  for (const Phase& phase : timing.phases)
    if (phase.name == name) return phase.runs;
  return {};
}

/// The moments of times in seconds; 0 where there is no backward pass, as fastrnns prints.
Moments momentsIn(const Unit& unit, std::vector<double> runs) {
  if (runs.empty()) return {0, 0};
  for (double& run : runs) run = unit.of(run);
  Moments moments = momentsOf(runs);
  if (!moments.deviation) moments.deviation = std::nan("");
  return moments;
}

bool isOfImages(const Row& row) { return inputs::kindOf(row.op) == inputs::SampleKind::Model; }

/// A group of fastrnns' JSON: its name, the phase that it has of each timed contender, and its rows.
struct FastrnnsGroup {
  std::string name, phase;
  std::vector<const Row*> rows;
};
std::string_view groupName(const Row& row) {
  if (isOfImages(row)) return "resnet";
  return row.op.starts_with("rnn.vl_") ? "vl_lstm" : "lstm";
}

std::vector<FastrnnsGroup> fastrnnsGroups(const std::vector<Row>& rows) {
  std::vector<FastrnnsGroup> groups;
  for (const std::string group : {"vl_lstm", "lstm", "resnet"}) {
    std::vector<const Row*> members;
    for (const Row& row : rows)
      if (groupName(row) == group) members.push_back(&row);
    if (members.empty()) continue;
    groups.push_back({group, "forward", members});
    groups.push_back({group + "-backward", "backward", members});
  }
  return groups;
}

/// The name of a contender where several networks have it: fastrnns has LSTM cells alone, and calls what is traced
/// `resnet18_jit`.
std::string modelName(const Row& row, const Outcome& outcome) {
  if (isOfImages(row)) {
    const size_t first = row.op.find('.') + 1;
    return row.op.substr(first, row.op.rfind('.') - first) + (outcome.contender == Contender::Torchscript ? "_jit"
                                                              : outcome.contender == Contender::Opbench   ? "_opbench"
                                                                                                          : "");
  }
  constexpr std::string_view gru = "rnn.gru.";
  return (row.op.starts_with(gru) ? "gru_" : "") + std::string(name(outcome.contender));
}

}  // namespace

std::string fastrnnsHeading(const Row& row, const std::string& sep) {
  const std::string_view group = groupName(row);
  const char* networks = group == "resnet" ? "ResNets" : group == "lstm" ? "LSTMs" : "variable-length sequence LSTMs";
  return fmt::format("Benchmarking {}...\n", networks) +
         lineOf({"name", "avg_fwd", "std_fwd", "info_fwd", "avg_bwd", "std_bwd", "info_bwd"}, sep);
}

bool areOfOneGroup(const Row& a, const Row& b) { return groupName(a) == groupName(b); }

std::string fastrnnsLines(const Row& row, const Run& run, const std::string& sep) {
  const Unit unit(run);
  std::string lines;
  for (const Outcome& outcome : row.outcomes) {
    if (!outcome.timing) continue;
    const Moments forward = momentsIn(unit, runsOf(*outcome.timing, "forward"));
    const Moments backward = momentsIn(unit, runsOf(*outcome.timing, "backward"));
    lines += lineOf({modelName(row, outcome), figure(forward.mean), figure(*forward.deviation), "None", figure(backward.mean),
                     figure(*backward.deviation), "None"},
                    sep);
  }
  return lines;
}

std::string fastrnnsOss(const std::vector<Row>& rows, const Run& run) {
  const Unit unit(run);
  Json json = Json::object();
  for (const FastrnnsGroup& group : fastrnnsGroups(rows)) {
    Json models = Json::object();
    for (const Row* row : group.rows)
      for (const Outcome& outcome : row->outcomes)
        if (outcome.timing) models[modelName(*row, outcome)] = momentsIn(unit, runsOf(*outcome.timing, group.phase)).mean;
    json[group.name] = models;
  }
  return json.dump() + "\n";
}

std::string fastrnnsPep(const std::vector<Row>& rows, const Run& run) {
  const Unit unit(run);
  std::string lines;
  for (const FastrnnsGroup& group : fastrnnsGroups(rows))
    for (const Row* row : group.rows)
      for (const Outcome& outcome : row->outcomes) {
        if (!outcome.timing) continue;
        for (const double seconds : runsOf(*outcome.timing, group.phase)) {
          const Json json{{"type", "NET"},
                          {"metric", group.name + "-" + modelName(*row, outcome)},
                          {"unit", unit.name()},
                          {"value", fmt::format("{}", unit.of(seconds))}};
          lines += "Caffe2Observer " + json.dump() + "\n";
        }
      }
  return lines;
}

}  // namespace opbench::report
