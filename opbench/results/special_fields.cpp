#include "opbench/results/special_fields.h"

#include <fmt/format.h>

#include "inputs/operator_name.h"
#include "opbench/results/contenders.h"
#include "opbench/results/environment.h"
#include "opbench/results/parts.h"

namespace opbench::results {
namespace {

std::optional<Interval> scaledInterval(const std::optional<Interval>& interval, double scale) {
  return interval ? std::optional(Interval{interval->low * scale, interval->high * scale}) : std::nullopt;
}

/// The ends of an interval in another unit; null where there is none.
void addEnds(OrderedJson& object, const std::string& low, const std::string& high, const std::optional<Interval>& interval,
             double scale, int decimals) {
  object[low] = interval ? OrderedJson(rounded(interval->low * scale, decimals)) : OrderedJson(nullptr);
  object[high] = interval ? OrderedJson(rounded(interval->high * scale, decimals)) : OrderedJson(nullptr);
}

/// The enumerator that a word names. A word that names none is refused.
template <typename Enum, typename FromName>
Enum named(const Fields& fields, const char* field, const FromName& fromName) {
  const std::string text = fields.requiredText(field);
  const auto found = fromName(text);
  if (!found) fields.refuse(fmt::format("unknown {} '{}'", field, text));
  return *found;
}

enum class Presence { Required, Optional };

/// A word of a few, kept as what it names.
template <typename At, typename FromName>
Field<Line> word(const char* field, At at, FromName fromName, Presence presence) {
  return {field, [=](OrderedJson& object, Written& it) { object[field] = name(*at(it)); },
          [=](const Fields& fields, Line& it) {
            if (presence == Presence::Optional && !fields.has(field)) return;
            *at(it) = named<ValueAt<Line, At>>(fields, field, fromName);
          }};
}

}  // namespace

Field<Line> derived(const char* name, OrderedJson (*value)(Written&)) {
  return {name, [=](OrderedJson& object, Written& it) { object[name] = value(it); }, [](const Fields&, Line&) {}};
}

Field<Line> ofNetworks(Field<Line> field) {
  field.write = [write = field.write](OrderedJson& object, Written& it) {
    if (inputs::isNetwork(it.row.op)) write(object, it);
  };
  return field;
}

Field<Line> quantileOf(const char* name, double share) {
  return {name,
          [=](OrderedJson& object, Written& it) {
            const bool hasRounds = it.outcome.timing && !it.outcome.timing->rounds.empty();
            object[name] = hasRounds ? OrderedJson(rounded(quantile(it.outcome.timing->rounds, share) * microseconds.written, 3))
                                     : OrderedJson(nullptr);
          },
          [](const Fields&, Line&) {}};
}

Field<Line> operatorField() {
  Field<Line> field = text<Line>("op", OF(row.op));
  field.read = [](const Fields& fields, Line& it) { it.row.op = fields.operatorName("op"); };
  return field;
}

Field<Line> contenderField() { return word("contender", OF(outcome.contender), contenderFromName, Presence::Required); }

Field<Line> statusField() { return word("status", OF(outcome.status), statusFromName, Presence::Required); }

Field<Line> kindField() {
  const auto kindFromName = [](std::string_view text) -> std::optional<runtime::Kind> {
    using runtime::Kind;
    for (const Kind kind : {Kind::Fallback, Kind::Generated, Kind::View})
      if (runtime::name(kind) == text) return kind;
    return std::nullopt;
  };
  return word("kind", OF(outcome.kind), kindFromName, Presence::Optional);
}

Field<Line> intervalField() {
  return {"low_us, high_us",
          [](OrderedJson& object, Written& it) {
            addEnds(object, "low_us", "high_us", it.outcome.timing ? it.outcome.timing->interval : std::nullopt,
                    microseconds.written, 3);
          },
          [](const Fields& fields, Line& it) {
            if (it.outcome.timing)
              it.outcome.timing->interval = scaledInterval(fields.confidence("low_us", "high_us"), microseconds.read);
          }};
}

Field<Line> percentilesField() {
  return {"p20_us, p80_us",
          [](OrderedJson& object, Written& it) {
            const auto& timing = it.outcome.timing;
            addEnds(object, "p20_us", "p80_us", timing ? std::optional(Interval{timing->p20, timing->p80}) : std::nullopt,
                    microseconds.written, 3);
          },
          [](const Fields& fields, Line& it) {
            const auto found = scaledInterval(fields.interval("p20_us", "p80_us"), microseconds.read);
            if (!it.outcome.timing || !found) return;
            it.outcome.timing->p20 = found->low;
            it.outcome.timing->p80 = found->high;
          }};
}

Field<Line> histogramField() {
  return {"histogram",
          [](OrderedJson& object, Written& it) {
            if (it.outcome.timing && !it.outcome.timing->histogram.counts.empty())
              object["histogram"] = written<Histogram>(it.outcome.timing->histogram, histogramFields());
          },
          [](const Fields& fields, Line& it) {
            const auto found = fields.object("histogram");
            if (found && it.outcome.timing) readInto(it.outcome.timing->histogram, *found, histogramFields());
          }};
}

Field<Line> speedupField() {
  return {"speedup, speedup_low, speedup_high",
          [](OrderedJson& object, Written& it) {
            const auto& speedup = it.outcome.speedup;
            object["speedup"] = speedup ? OrderedJson(rounded(*speedup, 6)) : OrderedJson(nullptr);
            addEnds(object, "speedup_low", "speedup_high", speedup ? it.outcome.timing->ratio.interval : std::nullopt, 1, 6);
          },
          [](const Fields& fields, Line& it) {
            it.outcome.speedup = fields.number("speedup");
            if (!it.outcome.speedup) return;
            if (!it.outcome.timing) fields.refuse("\"speedup\" stands without \"median_us\"");
            it.outcome.timing->ratio = {*it.outcome.speedup, fields.confidence("speedup_low", "speedup_high")};
          }};
}

/// The secondary measure names its fields. Times that are differences of times may be less than 0 in lines of earlier programs.
Field<Line> secondaryField() {
  constexpr const char* names =
      "throughput_us, throughput_low_us, throughput_high_us, throughput_speedup, throughput_speedup_low, throughput_speedup_high";
  return {names,
          [](OrderedJson& object, Written& it) {
            const std::string measure(measureName(it.run, secondaryMeasure(it.run)));
            const auto& timing = it.outcome.secondary;
            object[measure + "_us"] =
                timing ? OrderedJson(rounded(timing->median * microseconds.written, 3)) : OrderedJson(nullptr);
            addEnds(object, measure + "_low_us", measure + "_high_us", timing ? timing->interval : std::nullopt,
                    microseconds.written, 3);
            object[measure + "_speedup"] = timing ? OrderedJson(rounded(timing->ratio.median, 6)) : OrderedJson(nullptr);
            addEnds(object, measure + "_speedup_low", measure + "_speedup_high", timing ? timing->ratio.interval : std::nullopt,
                    1, 6);
          },
          [](const Fields& fields, Line& it) {
            const std::string measure(measureName(it.run, secondaryMeasure(it.run)));
            const auto signedInterval = [&](const std::string& low, const std::string& high) {
              return fields.signedInterval(low.c_str(), high.c_str());
            };
            const auto median = fields.signedNumber((measure + "_us").c_str());
            if (!median) return;
            Timing& timing = it.outcome.secondary.emplace();
            timing.median = *median * microseconds.read;
            timing.interval = scaledInterval(signedInterval(measure + "_low_us", measure + "_high_us"), microseconds.read);
            timing.ratio = {fields.signedNumber((measure + "_speedup").c_str()).value_or(1),
                            signedInterval(measure + "_speedup_low", measure + "_speedup_high")};
          }};
}

Field<Line> stoppedField() {
  return {"stopped",
          [](OrderedJson& object, Written& it) {
            object["stopped"] = it.row.measurement ? OrderedJson(name(it.row.measurement->stopped)) : OrderedJson(nullptr);
          },
          [](const Fields& fields, Line& it) {
            const bool isMeasured = fields.has("stopped") || fields.has("clock_mhz") || fields.flag("disturbed");
            if (!isMeasured) return;
            it.row.measurement.emplace();
            if (fields.has("stopped")) it.row.measurement->stopped = named<Stop>(fields, "stopped", stopFromName);
          }};
}

/// Seconds of stages, of whatever names.
Field<Line> stagesField() {
  return {"stages_ms",
          [](OrderedJson& object, Written& it) {
            if (it.row.stageSeconds.empty()) return;
            OrderedJson& stages = object["stages_ms"];
            for (const auto& [name, seconds] : it.row.stageSeconds) stages[name] = rounded(seconds * milliseconds.written, 2);
          },
          [](const Fields& fields, Line& it) {
            const auto stages = fields.object("stages_ms");
            if (!stages) return;
            for (const auto& [name, value] : stages->scalars())
              if (const auto* ms = std::get_if<double>(&value)) it.row.stageSeconds[name] = *ms * milliseconds.read;
          }};
}

Field<Line> gpuField() {
  return {"gpu",
          [](OrderedJson& object, Written& it) { object["gpu"] = it.row.gpu ? toJson(*it.row.gpu) : OrderedJson(nullptr); },
          [](const Fields& fields, Line& it) { it.row.gpu = gpuStateOf(fields); }};
}

Field<Line> bytesField() {
  return {"bytes, bytes_read",
          [](OrderedJson& object, Written& it) {
            object["bytes"] = it.row.bytes();
            object["bytes_read"] = it.row.traffic.read;
          },
          [](const Fields& fields, Line& it) {
            it.row.traffic.read = fields.integer("bytes_read").value_or(0);
            it.row.traffic.written = fields.integer("bytes").value_or(0) - it.row.traffic.read;
          }};
}

/// All operations of a row; operations of products are kept by precision.
Field<Line> operationsField() {
  return {"flops",
          [](OrderedJson& object, Written& it) { object["flops"] = it.row.flops + static_cast<double>(it.row.productFlops()); },
          [](const Fields& fields, Line& it) { it.row.flops = fields.number("flops").value_or(0); }};
}

Field<Line> productsField() {
  Field<Line> field = objects<Line, Products>("products", OF(row.products), productFields);
  field.read = [read = field.read](const Fields& fields, Line& it) {
    read(fields, it);
    it.row.flops -= static_cast<double>(it.row.productFlops());
  };
  return field;
}

/// The trace is the sample's, and long: the first line has it.
Field<Line> memoryTraceField() {
  Field<Line> field = objects<Line, runtime::MemoryLine>("memory_trace", OF(row.memoryTrace), memoryLineFields);
  field.write = [write = field.write](OrderedJson& object, Written& it) {
    if (!it.row.memoryTrace.empty() && &it.outcome == &it.row.outcomes.front()) write(object, it);
  };
  return field;
}

Field<Line> graphNodesField() {
  return {"graph_nodes",
          [](OrderedJson& object, Written& it) {
            object["graph_nodes"] = it.outcome.graphNodes >= 0 ? OrderedJson(it.outcome.graphNodes) : OrderedJson(nullptr);
          },
          [](const Fields& fields, Line& it) {
            it.outcome.graphNodes = static_cast<int>(fields.integer("graph_nodes", std::numeric_limits<int>::max()).value_or(-1));
          }};
}

/// Earlier programs did not say how far two runs differ.
Field<Line> determinismField() {
  return {"deterministic, determinism",
          [](OrderedJson& object, Written& it) {
            const auto& found = it.outcome.determinism;
            object["deterministic"] = found ? OrderedJson(!it.outcome.isVarying()) : OrderedJson(nullptr);
            object["determinism"] = found ? OrderedJson(name(*found)) : OrderedJson(nullptr);
          },
          [](const Fields& fields, Line& it) {
            it.outcome.determinism = determinismFromName(fields.text("determinism"));
            if (!it.outcome.determinism && fields.has("deterministic"))
              it.outcome.determinism = fields.flag("deterministic") ? Determinism::Bitwise : Determinism::WithinTolerance;
          }};
}

Field<Line> noisesField() {
  return {"aa_noises",
          [](OrderedJson& object, Written& it) {
            object["aa_noises"] = OrderedJson::array();
            for (const auto& share : it.run.aaNoise.shares)
              object["aa_noises"].push_back(share ? OrderedJson(rounded(*share, 5)) : OrderedJson(nullptr));
          },
          [](const Fields& fields, Line& it) { it.run.aaNoise = fields.aaNoise(); }};
}

/// A CPU's caches are emptied line by line.
Field<Line> flushField() {
  using runtime::Flush;
  return {"flush",
          [](OrderedJson& object, Written& it) {
            object["flush"] = it.run.threads > 0 ? "lines" : it.run.flush == Flush::Write ? "write" : "read";
          },
          [](const Fields& fields, Line& it) { it.run.flush = fields.text("flush") == "read" ? Flush::Read : Flush::Write; }};
}

Field<Line> seedField() {
  return {"seed", [](OrderedJson& object, Written& it) { object["seed"] = it.run.seed; },
          [](const Fields& fields, Line& it) { it.run.seed = fields.natural("seed").value_or(0); }};
}

Field<Line> environmentField() {
  return {"environment", [](OrderedJson& object, Written& it) { object["environment"] = toJson(it.run.environment); },
          [](const Fields& fields, Line& it) { it.run.environment = environmentOf(fields); }};
}

OrderedJson noiseAt(Written& it) {
  const auto share = it.outcome.timing ? it.run.aaNoise.of(it.outcome.timing->median) : std::nullopt;
  return share ? OrderedJson(rounded(*share, 5)) : OrderedJson(nullptr);
}

OrderedJson mainMeasureName(Written& it) { return measureName(it.run, mainMeasure(it.run)); }

}  // namespace opbench::results
