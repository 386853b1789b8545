#include "opbench/show/models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <tuple>

#include "inputs/sample.h"

namespace opbench::show {
namespace {

constexpr double perMillisecond = 1e3;  // microseconds

std::string textOf(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : "";
}

std::optional<double> numberOf(const Value& value) {
  const auto* number = std::get_if<double>(&value);
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

/// The lines of one sample, by contender.
struct Sample {
  std::map<std::string, const Line*> lines;
  const Line* baseline = nullptr;

  const Line& any() const { return *lines.begin()->second; }
  /// A contender's time in us; nothing where it was not timed.
  std::optional<double> time(const std::string& contender) const {
    const auto found = lines.find(contender);
    return found == lines.end() ? std::nullopt : numberOf((*found->second)["median_us"]);
  }
  std::optional<double> baselineTime() const { return baseline == nullptr ? std::nullopt : numberOf((*baseline)["median_us"]); }
};

/// The samples of results, in the order of their lines; of several results of a sample the last one.
std::vector<Sample> samplesOf(const Lines& lines) {
  std::vector<Sample> samples;
  std::map<std::tuple<std::string, std::string, std::string>, size_t> places;
  for (const Line& line : lines.lines) {
    const auto [place, isNew] =
        places.try_emplace({textOf(line["op"]), textOf(line["sample"]), textOf(line["file"])}, samples.size());
    if (isNew) samples.emplace_back();
    Sample& sample = samples[place->second];
    sample.lines[textOf(line["contender"])] = &line;
    if (line.isBaseline) sample.baseline = &line;
  }
  return samples;
}

/// The contenders, in the order in which lines have them.
std::vector<std::string> contendersOf(const Lines& lines) {
  std::vector<std::string> contenders;
  for (const Line& line : lines.lines) {
    const std::string contender = textOf(line["contender"]);
    if (std::find(contenders.begin(), contenders.end(), contender) == contenders.end()) contenders.push_back(contender);
  }
  return contenders;
}

/// The file of suites that has the calls of a network's step: `bert_base_float16` of `model.bert_base.training`.
std::string suiteFileOf(const inputs::RegionUse& use) {
  const std::string name = use.network.substr(use.network.find('.') + 1);
  const bool isMixed = use.sample.find("'amp'") != std::string::npos;
  const bool isHalf = use.sample.find("'dtype': 'float16'") != std::string::npos;
  return name.substr(0, name.rfind('.')) + (isMixed ? "_amp" : isHalf ? "_float16" : "_float32");
}

/// A sum of times, and how many of how many parts are in it.
struct Sum {
  double us = 0;
  int64_t timed = 0, all = 0;

  void add(const std::optional<double>& time, int64_t count) {
    ++all;
    if (!time) return;
    ++timed;
    us += *time * static_cast<double>(count);
  }
  Value milliseconds() const { return timed > 0 ? Value(us / perMillisecond) : Value(); }
};

/// A step of a network's.
struct Step {
  const inputs::RegionUse* use = nullptr;
  std::vector<std::pair<const Sample*, int64_t>> regions;  ///< and how often it has each
  std::vector<const Sample*> calls;                        ///< that opbench leaves to ATen
  const Sample* whole = nullptr;
};

bool isFallback(const Sample& sample) {
  const auto own = sample.lines.find("opbench");
  return own != sample.lines.end() && textOf((*own->second)["kind"]) == "fallback";
}

std::vector<Step> stepsOf(const std::vector<Sample>& samples, const Uses& uses) {
  std::map<std::string, const Sample*> regions;  // by name
  for (const Sample& sample : samples)
    if (const std::string op = textOf(sample.any()["op"]); op.starts_with("region."))
      regions[op.substr(op.find('.') + 1)] = &sample;
  std::map<std::pair<std::string, std::string>, Step> steps;
  for (const auto& [name, ofRegion] : uses)
    for (const inputs::RegionUse& use : ofRegion) {
      Step& step = steps[{use.network, use.sample}];
      step.use = &use;
      const auto raced = regions.find(name);
      step.regions.emplace_back(raced == regions.end() ? nullptr : raced->second, use.count);
    }
  std::map<std::string, std::vector<const Sample*>> calls;  // that opbench leaves to ATen, by their file of suites
  for (const Sample& sample : samples) {
    const std::string op = textOf(sample.any()["op"]);
    if (const auto step = steps.find({op, textOf(sample.any()["sample"])}); step != steps.end()) step->second.whole = &sample;
    const bool isCall = !op.starts_with("region.") && !op.starts_with("model.");
    if (isCall && isFallback(sample)) calls[std::filesystem::path(textOf(sample.any()["file"])).stem()].push_back(&sample);
  }
  std::vector<Step> result;
  for (auto& [key, step] : steps) {
    step.calls = calls[suiteFileOf(*step.use)];
    result.push_back(std::move(step));
  }
  return result;
}

}  // namespace

Table modelsTable(const Lines& lines, const Uses& uses) {
  const std::vector<Sample> samples = samplesOf(lines);
  const std::vector<std::string> contenders = contendersOf(lines);
  Table table;
  for (const char* const name : {"network", "contender", "regions"}) table.columns.push_back({name, name, false});
  for (const char* const name : {"regions_ms", "calls_ms", "sum_ms", "step_ms"}) table.columns.push_back({name, name, true});
  for (const Step& step : stepsOf(samples, uses))
    for (const std::string& contender : contenders) {
      Sum regions, calls;
      for (const auto& [sample, count] : step.regions)
        regions.add(sample == nullptr ? std::nullopt : sample->time(contender), count);
      for (const Sample* sample : step.calls) {
        const auto own = sample->time(contender);
        calls.add(own ? own : sample->baselineTime(), static_cast<int64_t>(numberOf(sample->any()["count"]).value_or(1)));
      }
      const auto whole = step.whole == nullptr ? std::nullopt : step.whole->time(contender);
      if (regions.timed == 0 && !whole) continue;
      Sum both = regions;
      both.us += calls.us;
      table.rows.push_back({step.use->network, contender, fmt::format("{} of {}", regions.timed, regions.all),
                            regions.milliseconds(), calls.milliseconds(), calls.timed > 0 ? both.milliseconds() : Value(),
                            whole ? Value(*whole / perMillisecond) : Value()});
    }
  return table;
}

Table gainsTable(const Lines& lines, const Uses& uses) {
  Table table;
  const std::vector<std::string> contenders = contendersOf(lines);
  table.columns = {
      {"region", "region", false}, {"gain_ms", "gain_ms", true}, {"count", "count", true}, {"copy_us", "copy_us", true}};
  for (const std::string& contender : contenders) table.columns.push_back({contender + "_us", contender, true});
  table.columns.push_back({"networks", "networks", false});
  std::vector<std::pair<double, std::vector<Value>>> rows;
  for (const Sample& sample : samplesOf(lines)) {
    const std::string op = textOf(sample.any()["op"]);
    const auto used = op.starts_with("region.") ? uses.find(op.substr(op.find('.') + 1)) : uses.end();
    const auto own = sample.time("opbench");
    if (used == uses.end() || !own) continue;
    const auto copy = numberOf((*sample.lines.at("opbench"))["copy_us"]);
    if (!copy) continue;
    int64_t count = 0;
    std::set<std::string> networks;
    for (const inputs::RegionUse& use : used->second) {
      count += use.count;
      networks.insert(use.network.substr(use.network.find('.') + 1));
    }
    const double gain = (*own - *copy) * static_cast<double>(count) / perMillisecond;
    std::vector<Value> row{op, gain, static_cast<double>(count), *copy};
    for (const std::string& contender : contenders) {
      const auto time = sample.time(contender);
      row.push_back(time ? Value(*time) : Value());
    }
    row.emplace_back(fmt::format("{}", fmt::join(networks, " ")));
    rows.emplace_back(gain, std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [gain, row] : rows) table.rows.push_back(std::move(row));
  return table;
}

}  // namespace opbench::show
