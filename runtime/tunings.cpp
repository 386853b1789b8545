#include "runtime/tunings.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "ir/text/text.h"
#include "runtime/build/hash.h"
#include "runtime/build/trusted_folder.h"

namespace runtime {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* fileName = "tuning.jsonl";
constexpr const char* lockName = "tuning.jsonl.lock";
constexpr size_t mostBytes = size_t{64} << 20, mostLineBytes = size_t{1} << 20;
constexpr double leastGain = 1, mostGain = 1000;
/// Part of every key: schedules that were found under other rules of ours do not count.
constexpr int format = 3;

/// The key and the schedule of a line; nothing where it is not one of ours.
std::optional<std::pair<std::string, Tuned>> parseLine(std::string_view line) {
  if (line.size() > mostLineBytes) return std::nullopt;
  const Json entry = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!entry.is_object()) return std::nullopt;
  const Json key = entry.value("key", Json()), schedule = entry.value("schedule", Json()), gain = entry.value("gain", Json());
  if (!key.is_string() || !schedule.is_string() || !gain.is_number()) return std::nullopt;
  const Tuned tuned{schedule.get<std::string>(), gain.get<double>()};
  if (!(tuned.gain >= leastGain && tuned.gain <= mostGain)) return std::nullopt;
  return std::pair(key.get<std::string>(), tuned);
}

}  // namespace

Tunings::Tunings(Cache cache) : cache_(std::move(cache)) {
  for (const auto& [key, line] : readLines()) found_[key] = parseLine(line)->second;
}

std::map<std::string, std::string> Tunings::readLines() {
  std::map<std::string, std::string> lines;
  if (!cache_.isOpen()) return lines;
  const auto content = cache_.folder().read(fileName, mostBytes);
  int bad = 0;
  for (std::string_view rest = content ? content->bytes : std::string_view(); !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (const auto entry = parseLine(line))
      lines[entry->first] = line;
    else
      ++bad;
  }
  if (bad > 0)
    complaint_ = fmt::format("{}/{}: {} damaged line{} ignored", cache_.folder().path(), fileName, bad, bad == 1 ? "" : "s");
  return lines;
}

std::optional<Tuned> Tunings::find(const std::string& key) const {
  const auto entry = found_.find(key);
  return entry == found_.end() ? std::nullopt : std::optional(entry->second);
}

void Tunings::put(const std::string& key, const Tuned& measured, const std::string& kernel, const std::string& device) {
  const Tuned tuned{measured.schedule, std::clamp(measured.gain, leastGain, mostGain)};
  found_[key] = tuned;
  if (!cache_.isOpen()) return;
  const inputs::Descriptor lock = cache_.folder().lock(lockName);  // without it writers may undo each other's entries
  std::map<std::string, std::string> lines = readLines();
  const Json entry{{"kernel", kernel}, {"device", device}, {"schedule", tuned.schedule}, {"gain", tuned.gain}, {"key", key}};
  lines[key] = entry.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text;
  for (const auto& [name, line] : lines) text += line + "\n";
  cache_.folder().write(fileName, {text});
}

std::string tuningKey(const std::vector<lowering::LoopNest>& nests,
                      const std::vector<std::optional<lowering::Schedule>>& schedules, size_t nest,
                      const std::vector<lowering::Schedule>& candidates, const TuningPlace& place) {
  std::string text = fmt::format("tuning {}\n{}\n{}\n{}\n{} {} {}\n{}\n", format, place.opbench, place.device, place.software,
                                 place.target.arch, place.target.features, place.target.processors, nest);
  for (size_t i = 0; i < nests.size(); ++i) {
    text += ir::toText(nests[i].loops);
    if (i != nest && schedules[i]) text += toText(*schedules[i]) + "\n";
  }
  for (const lowering::Schedule& schedule : candidates) text += toText(schedule) + "\n";
  return digest(text);
}

}  // namespace runtime
