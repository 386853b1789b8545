#include "opbench/profile/trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "inputs/files.h"
#include "inputs/text/printable.h"
#include "ir/error.h"

namespace opbench::profile {
namespace {

using nlohmann::json;

template <typename Number>
std::optional<Number> number(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? std::optional(found->get<Number>()) : std::nullopt;
}

std::string text(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? inputs::printable(found->get<std::string>()) : "";
}

Kernel kernelOf(const std::string& name, Span span, const json& facts) {
  Kernel kernel{name,
                span,
                number<int64_t>(facts, "correlation").value_or(-1),
                number<int64_t>(facts, "registers per thread"),
                number<double>(facts, "est. achieved occupancy %"),
                number<int64_t>(facts, "bytes")};
  if (kernel.occupancy) *kernel.occupancy /= 100;
  return kernel;
}

/// Adds an event to the list that its category names; others, such as metadata, are left out.
void add(const json& event, Trace& trace) {
  const auto begin = number<double>(event, "ts"), length = number<double>(event, "dur");
  if (text(event, "ph") != "X" || !begin || !length) return;
  const std::string name = text(event, "name"), category = text(event, "cat");
  const Span span{*begin, *begin + *length};
  const json none = json::object();
  const auto args = event.find("args");
  const json& facts = args != event.end() && args->is_object() ? *args : none;
  const HostCall call{name, span, number<int64_t>(event, "tid").value_or(0), number<int64_t>(facts, "correlation").value_or(-1)};
  if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset")
    trace.kernels.push_back(kernelOf(name, span, facts));
  else if (category == "cuda_runtime" || category == "cuda_driver")
    trace.launches.push_back(call);
  else if (category == "cpu_op")
    trace.calls.push_back(call);
  else if (category == "user_annotation")
    trace.ranges.push_back(call);
}

template <typename Event>
void sort(std::vector<Event>& events) {
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.span.end > b.span.end;
  });
}

}  // namespace

Trace readTrace(const std::string& file) {
  const json whole = json::parse(inputs::readFile(file, {size_t{1} << 30, size_t{1} << 30}), nullptr, false);
  const auto events = whole.is_object() ? whole.find("traceEvents") : whole.end();
  if (whole.is_discarded() || events == whole.end() || !events->is_array())
    ir::fail(ir::ErrorKind::Input, "{} is no trace: it has no list of traceEvents", file);
  Trace trace;
  trace.file = file;
  for (const json& event : *events)
    if (event.is_object()) add(event, trace);
  sort(trace.kernels);
  sort(trace.calls);
  sort(trace.launches);
  sort(trace.ranges);
  const auto own = whole.find("opbench");
  if (own == whole.end() || !own->is_object()) return trace;
  trace.op = text(*own, "op");
  trace.sample = text(*own, "sample");
  trace.device = text(*own, "device");
  trace.bytes = number<int64_t>(*own, "bytes");
  trace.bytesPerSecond = number<double>(*own, "bytes_per_s");
  if (const auto names = own->find("kernels"); names != own->end() && names->is_object())
    for (Kernel& kernel : trace.kernels)
      if (std::string name = text(*names, kernel.name.c_str()); !name.empty()) kernel.name = std::move(name);
  return trace;
}

}  // namespace opbench::profile
