#include "opbench/sweep/messages.h"

#include "opbench/results/fields.h"
#include "opbench/results/sample_result.h"
#include "opbench/results/write.h"

namespace opbench {
namespace {

using Json = nlohmann::json;
using results::Fields;

std::string lineOf(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json toJson(const ir::Target& target) {
  return {{"cuda", target.backend == ir::Backend::Cuda},
          {"arch", target.arch},
          {"features", target.features},
          {"vector_bytes", target.vectorBytes},
          {"processors", target.processors},
          {"cache_bytes", target.cacheBytes},
          {"cluster_ctas", target.clusterCtas},
          {"processor_threads", target.processorThreads},
          {"processor_registers", target.processorRegisters},
          {"processor_shared_bytes", target.processorSharedBytes},
          {"cta_shared_bytes", target.ctaSharedBytes},
          {"streamed_bytes", target.streamedBytes},
          {"clamp_ignores_nan", target.aten.clampIgnoresNaN}};
}

ir::Target targetOf(const Fields& fields) {
  const auto number = [&](const char* name) { return fields.integer(name).value_or(0); };
  const auto count = [&](const char* name) { return static_cast<int>(number(name)); };
  return {fields.flag("cuda") ? ir::Backend::Cuda : ir::Backend::Cpu,
          fields.text("arch"),
          fields.text("features"),
          count("vector_bytes"),
          count("processors"),
          number("cache_bytes"),
          count("cluster_ctas"),
          count("processor_threads"),
          count("processor_registers"),
          number("processor_shared_bytes"),
          number("cta_shared_bytes"),
          number("streamed_bytes"),
          {fields.flag("clamp_ignores_nan")}};
}

Json toJson(const Compiled& compiled) {
  if (!compiled) return Json::object();
  Json json{{"ms", compiled->ms}, {"cached", compiled->cached}, {"kernels", compiled->kernels}, {"failure", compiled->failure}};
  if (const auto& inductor = compiled->inductor)
    json["inductor"] = {
        {"ms", inductor->ms}, {"cached", inductor->cached}, {"failure", inductor->failure}, {"on_gpu", inductor->onGpu}};
  return json;
}

Compiled compiledOf(const Fields& fields) {
  if (!fields.has("ms")) return std::nullopt;
  Compilation compilation{fields.number("ms").value_or(0), fields.flag("cached"), fields.text("kernels"), fields.text("failure")};
  if (const auto inductor = fields.object("inductor"))
    compilation.inductor = {inductor->number("ms").value_or(0), inductor->flag("cached"), inductor->text("failure"),
                            static_cast<int>(inductor->integer("on_gpu").value_or(0))};
  return compilation;
}

Json toJson(const Doubt& doubt) {
  Json json{{"contender", name(doubt.contender)}, {"why", doubt.why}};
  if (doubt.lead) json.update({{"low", doubt.lead->low}, {"high", doubt.lead->high}});
  return json;
}

std::optional<Doubt> doubtOf(const Fields& fields) {
  const auto contender = contenderFromName(fields.text("contender"));
  if (!contender) return std::nullopt;
  Doubt doubt{*contender, fields.text("why")};
  if (const auto low = fields.number("low"), high = fields.number("high"); low && high) doubt.lead = Interval{*low, *high};
  return doubt;
}

Json toJson(const Ready& ready) {
  return {
      {"ready", Json::parse(results::runJson(ready.run))}, {"target", toJson(ready.target)}, {"complaints", ready.complaints}};
}

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
                 {"line", sample.where.line},
                 {"compilation", toJson(job.compilation)},
                 {"retried", job.retried},
                 {"doubt", job.doubt ? toJson(*job.doubt) : Json(nullptr)},
                 {"cases_left", job.casesLeft},
                 {"compilers_on_gpu", job.compilersOnGpu}});
}

Job jobOf(const std::string& line) {
  const Fields fields(line, "job");
  Job job;
  job.index = static_cast<int>(fields.integer("index").value_or(0));
  inputs::Sample& sample = job.sample;
  inputs::parseCall(fields.requiredText("call"), {"job", job.index}, 1, sample);
  sample.op = fields.operatorName("op");
  sample.recorded = fields.requiredText("recorded");
  sample.count = fields.integer("count").value_or(1);
  sample.suite = fields.text("suite");
  sample.where = {fields.text("file"), static_cast<int>(fields.integer("line").value_or(0))};
  if (const auto compilation = fields.object("compilation")) job.compilation = compiledOf(*compilation);
  job.retried = fields.text("retried");
  if (const auto doubt = fields.object("doubt")) job.doubt = doubtOf(*doubt);
  job.casesLeft = static_cast<int>(fields.integer("cases_left").value_or(0));
  job.compilersOnGpu = static_cast<int>(fields.integer("compilers_on_gpu").value_or(0));
  return job;
}

std::string toLine(const Reply& reply) {
  return std::visit([](const auto& message) { return lineOf(toJson(message)); }, reply);
}

Reply replyOf(const std::string& line) {
  const Fields fields(line, "worker");
  if (const auto run = fields.object("ready")) {
    const auto target = fields.object("target");
    return Ready{results::runOf(*run), target ? targetOf(*target) : ir::Target(), fields.texts("complaints")};
  }
  if (fields.has("refused")) return Refused{fields.text("refused"), fields.flag("lacks_device"), fields.flag("users")};
  const Json json = Json::parse(line);
  return Finished{textOf(json, "lines"), textOf(json, "lost")};
}

std::string toLine(const ir::Target& target) { return lineOf(toJson(target)); }

ir::Target targetOf(const std::string& line) { return targetOf(Fields(line, "target")); }

std::string toLine(const Compiled& compiled) { return lineOf(toJson(compiled)); }

Compiled compiledOf(const std::string& line) { return compiledOf(Fields(line, "compiler")); }

}  // namespace opbench
