#include "opbench/report/networks/fastrnns.h"

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

double milliseconds(double seconds) { return seconds * 1e3; }

/// The runs of a phase; none where it is not there.
std::vector<double> runsOf(const Timing& timing, const std::string& name) {
  for (const Phase& phase : timing.phases)
    if (phase.name == name) return phase.runs;
  return {};
}

/// Those of times in seconds. What fastrnns prints of no backward pass is 0.
Moments millisecondsOf(std::vector<double> runs) {
  if (runs.empty()) return {0, 0};
  for (double& run : runs) run = milliseconds(run);
  Moments moments = momentsOf(runs);
  if (!moments.deviation) moments.deviation = std::nan("");
  return moments;
}

bool isOfImages(const Row& row) { return row.op.starts_with("model."); }

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

std::string fastrnnsHeading(const std::string& sep) {
  return lineOf({"name", "avg_fwd", "std_fwd", "info_fwd", "avg_bwd", "std_bwd", "info_bwd"}, sep);
}

std::string fastrnnsLines(const Row& row, const std::string& sep) {
  std::string lines;
  for (const Outcome& outcome : row.outcomes) {
    if (!outcome.timing) continue;
    const Moments forward = millisecondsOf(runsOf(*outcome.timing, "forward"));
    const Moments backward = millisecondsOf(runsOf(*outcome.timing, "backward"));
    lines += lineOf({modelName(row, outcome), figure(forward.mean), figure(*forward.deviation), "None", figure(backward.mean),
                     figure(*backward.deviation), "None"},
                    sep);
  }
  return lines;
}

std::string fastrnnsOss(const std::vector<Row>& rows) {
  Json json = Json::object();
  for (const FastrnnsGroup& group : fastrnnsGroups(rows)) {
    Json models = Json::object();
    for (const Row* row : group.rows)
      for (const Outcome& outcome : row->outcomes)
        if (outcome.timing) models[modelName(*row, outcome)] = millisecondsOf(runsOf(*outcome.timing, group.phase)).mean;
    json[group.name] = models;
  }
  return json.dump() + "\n";
}

std::string fastrnnsPep(const std::vector<Row>& rows) {
  std::string lines;
  for (const FastrnnsGroup& group : fastrnnsGroups(rows))
    for (const Row* row : group.rows)
      for (const Outcome& outcome : row->outcomes) {
        if (!outcome.timing) continue;
        for (const double seconds : runsOf(*outcome.timing, group.phase)) {
          const Json json{{"type", "NET"},
                          {"metric", group.name + "-" + modelName(*row, outcome)},
                          {"unit", "ms"},
                          {"value", fmt::format("{}", milliseconds(seconds))}};
          lines += "Caffe2Observer " + json.dump() + "\n";
        }
      }
  return lines;
}

}  // namespace opbench::report
