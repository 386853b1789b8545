#include "opbench/sweep/messages.h"

#include "opbench/report/json.h"
#include "opbench/results/fields.h"
#include "opbench/results/raced.h"

namespace opbench {
namespace {

using Json = nlohmann::json;
using results::Fields;

std::string lineOf(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json toJson(const Ready& ready) { return {{"ready", Json::parse(report::runJson(ready.run))}, {"complaint", ready.complaint}}; }

Json toJson(const Refused& refused) {
  return {{"refused", refused.message}, {"lacks_device", refused.lacksDevice}, {"users", refused.isUsers}};
}

Json toJson(const Finished& finished) { return {{"lines", finished.lines}, {"lost", finished.lost}}; }

/// A field's text as it is.
std::string textOf(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::string toLine(const Job& job) {
  const inputs::Sample& sample = job.sample;
  return lineOf({{"index", job.index},
                 {"op", sample.op},
                 {"recorded", sample.recorded},
                 {"call", inputs::toText(sample)},
                 {"count", sample.count},
                 {"suite", sample.suite},
                 {"file", sample.where.file},
                 {"line", sample.where.line}});
}

Job jobOf(const std::string& line) {
  const Fields fields(line, "job");
  Job job;
  job.index = static_cast<int>(fields.integer("index").value_or(0));
  inputs::Sample& sample = job.sample;
  inputs::parseCall(fields.requiredText("call"), {"job", job.index}, 1, sample);
  sample.op = fields.requiredText("op");
  sample.recorded = fields.requiredText("recorded");
  sample.count = fields.integer("count").value_or(1);
  sample.suite = fields.text("suite");
  sample.where = {fields.text("file"), static_cast<int>(fields.integer("line").value_or(0))};
  return job;
}

std::string toLine(const Reply& reply) {
  return std::visit([](const auto& message) { return lineOf(toJson(message)); }, reply);
}

Reply replyOf(const std::string& line) {
  const Fields fields(line, "worker");
  if (const auto run = fields.object("ready")) return Ready{results::runOf(*run), fields.text("complaint")};
  if (fields.has("refused")) return Refused{fields.text("refused"), fields.flag("lacks_device"), fields.flag("users")};
  const Json json = Json::parse(line);
  return Finished{textOf(json, "lines"), textOf(json, "lost")};
}

}  // namespace opbench
