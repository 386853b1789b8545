#include "opbench/run/library_choice.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ir/error.h"
#include "ir/text/text.h"
#include "opbench/measure/device/cached_ceilings.h"
#include "opbench/measure/device/ceilings.h"
#include "opbench/results/parts.h"
#include "opbench/text/time.h"
#include "runtime/contenders/library/callables.h"

namespace opbench {
namespace {

/// Where the cache keeps the choice among candidates: another place where anything differs that times depend on.
std::string keyOf(const ir::Graph& graph, const std::vector<std::string>& candidates, const Bench& bench) {
  const std::string place = measuredKey("library call 1", bench.device.name(), bench.device.target().processors);
  return fmt::format("{}, {}, {} threads, {}, of {}:\n{}", place, bench.device.software(), bench.options.threads,
                     measureName(bench.run, mainMeasure(bench.run)), fmt::join(candidates, " "), ir::toText(graph));
}

std::string textOf(const LibraryTrial& trial) {
  results::OrderedJson json = results::written<LibraryTrial>(trial, results::libraryTrialFields());
  json["measured"] = now();
  return json.dump();
}

/// What the cache keeps; nothing where it is no choice among these candidates, or one of long ago.
std::optional<LibraryTrial> storedTrial(const std::string& key, const std::vector<std::string>& candidates, const Bench& bench) {
  const std::optional<std::string> text = bench.cache.find(key);
  if (!text) return std::nullopt;
  LibraryTrial trial;
  try {
    const results::Fields fields(*text, "a library call in the cache");
    if (!isRecent(fields.integer("measured").value_or(0), now())) return std::nullopt;
    results::readInto(trial, fields, results::libraryTrialFields());
  } catch (const ir::Error&) {
    return std::nullopt;
  }
  trial.isStored = true;
  const bool isKnown = trial.library.empty() || std::ranges::count(candidates, trial.library) > 0;
  return isKnown ? std::optional(trial) : std::nullopt;
}

}  // namespace

std::optional<LibraryTrial> chooseLibrary(runtime::Call& call, const ir::Graph& graph, const Check& check, const Bench& bench) {
  std::vector<std::string> candidates;
  for (const runtime::CallablePtr& callable : runtime::libraryCallables(call, graph)) candidates.push_back(callable->library);
  if (candidates.empty()) return std::nullopt;
  const std::string key = keyOf(graph, candidates, bench);
  if (std::optional<LibraryTrial> stored = storedTrial(key, candidates, bench)) return stored;
  std::optional<LibraryTrial> trial = tryLibraries(call, graph, check, bench);
  if (trial) bench.cache.put(key, textOf(*trial));
  return trial;
}

}  // namespace opbench
