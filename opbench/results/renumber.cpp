#include "opbench/results/renumber.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "opbench/results/sum.h"

namespace opbench::results {

std::string renumbered(std::string_view lines, int index, const Run& run) {
  using Json = nlohmann::ordered_json;
  std::string text;
  while (!lines.empty()) {
    Json line = Json::parse(lines.substr(0, lines.find('\n')));
    lines.remove_prefix(std::min(lines.find('\n'), lines.size() - 1) + 1);
    line.erase("sum");
    line["index"] = index;
    line["samples"] = run.samples;
    line["recorded_samples"] = run.recorded.samples;
    line["recorded_calls"] = run.recorded.calls;
    line["selection"] = run.selection;
    text += withSum(line.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
  }
  return text;
}

}  // namespace opbench::results
