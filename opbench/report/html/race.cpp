#include "opbench/report/html/race.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <sstream>

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/report/html/page.h"
#include "opbench/results/schema.h"

namespace opbench::report::html {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr double leastPeriod = 3;        // seconds between two replacements
constexpr double periodsOfWriting = 50;  // of the time that a replacement takes
constexpr size_t mostStageBytes = size_t{8} << 20;

/// Drops lists of single measurements: the page shows what follows from them.
void dropSeries(json& line) {
  for (const char* name : {"rounds_us", "memory_trace", "aa_noises", "sum"}) line.erase(name);
  for (const char* name : {"tuning", "library_trial"})
    if (const auto found = line.find(name); found != line.end() && found->is_object()) found->erase("tried");
  const auto phases = line.find("phases");
  if (phases == line.end() || !phases->is_array()) return;
  for (json& phase : *phases)
    if (phase.is_object()) phase.erase("runs_us");
}

}  // namespace

Race::Race(std::string file) : file_(std::move(file)) { inputs::checkWritable(file_); }

void Race::begin(int samples, std::string dump) {
  samples_ = samples;
  dump_ = std::move(dump);
}

void Race::add(std::string_view lines, std::string_view file, int place) {
  std::istringstream stream{std::string(lines)};
  for (std::string text; std::getline(stream, text); ++place) {
    json line = json::parse(text, nullptr, false);
    if (!line.is_object()) continue;
    results::translate(line);
    dropSeries(line);
    if (!file.empty()) line.update({{"results", file}, {"results_line", place}});
    if (json stages = stagesOf(line); !stages.empty()) line["stages"] = std::move(stages);
    rows_.add(line);
  }
}

/// The files that --dump has written for a sample, as pairs of name and content.
json Race::stagesOf(const json& line) {
  json stages = json::array();
  if (dump_.empty() || line.value("contender", "") != "opbench") return stages;
  const fs::path folder = fs::path(dump_) / fmt::format("{}-{}", line.value("index", 0), line.value("op", ""));
  std::error_code error;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file(error) && entry.path().extension() != ".jsonl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    const size_t left = mostStageBytes - stageBytes_;
    if (fs::file_size(path, error) > left) continue;
    const std::string text = inputs::readFile(path, {left, left});
    stageBytes_ += text.size();
    stages.push_back({path.filename().string(), text});
  }
  return stages;
}

std::string Race::follow() {
  const Clock::time_point before = Clock::now();
  if (before < next_) return "";
  std::string complaint;
  try {
    write(false);
  } catch (const ir::Error& error) {
    complaint = error.what();
  }
  const std::chrono::duration<double> took = Clock::now() - before;
  period_ = std::max(std::chrono::duration<double>(leastPeriod), periodsOfWriting * took);
  next_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(period_);
  return complaint;
}

void Race::finish() {
  if (rows_.size() > 0) write(true);
}

void Race::write(bool isComplete) const {
  const json about = {{"complete", isComplete},
                      {"samples", samples_},
                      {"refresh_s", std::max(leastPeriod, period_.count())},
                      {"written", fmt::format("{:%H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)))}};
  std::string data = scriptJson(about);
  data.pop_back();
  inputs::writeFile(file_, page(fmt::format(R"({},"lines":{}}})", data, rows_.text())),
                    isComplete ? inputs::Durable::Yes : inputs::Durable::No);
}

void writeResults(const std::string& file, const results::Results& results) {
  const std::string text = inputs::readText(results.file);
  std::vector<std::string_view> lines;
  for (std::string_view rest = text; !rest.empty();) {
    lines.push_back(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.size(), lines.back().size() + 1));
  }
  Race race(file);
  for (const results::Record& record : results.records)
    race.add(lines.at(static_cast<size_t>(record.place) - 1), results.file, record.place);
  race.finish();
}

}  // namespace opbench::report::html
