#include "opbench/timeline/timeline.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "inputs/files.h"
#include "ir/error.h"

namespace opbench {
namespace {

using Json = nlohmann::json;

/// A line of a trace, which is an array of events.
std::string lineOf(const Json& event) { return event.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json nameOf(const std::string& process) {
  return {{"ph", "M"}, {"name", "process_name"}, {"pid", ::getpid()}, {"args", {{"name", process}}}};
}

Json eventOf(const std::string& name, int64_t start, int64_t end) {
  constexpr double micro = 1e-3;  // of a nanosecond
  return {{"ph", "X"},
          {"name", name},
          {"pid", ::getpid()},
          {"tid", ::getpid()},
          {"ts", static_cast<double>(start) * micro},
          {"dur", static_cast<double>(end - start) * micro}};
}

inputs::Descriptor openToAdd(const std::string& file) {
  inputs::Descriptor opened(::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!opened.isOpen()) ir::fail(ir::ErrorKind::Input, "cannot write {}: {}", file, std::strerror(errno));
  return opened;
}

}  // namespace

Timeline::Timeline(const std::string& file, const std::string& process) {
  if (file.empty()) return;
  file_ = openToAdd(file);
  write(lineOf(nameOf(process)) + ",\n");
}

void Timeline::add(const std::vector<Span>& spans, const std::string& around) const {
  if (!file_.isOpen() || spans.empty()) return;
  int64_t end = 0;
  std::string events;
  for (const Span& span : spans) {
    events += lineOf(eventOf(span.name, span.start, span.end)) + ",\n";
    end = std::max(end, span.end);
  }
  if (!around.empty()) events = lineOf(eventOf(around, spans.front().start, end)) + ",\n" + events;
  write(events);
}

void Timeline::write(const std::string& event) const {
  if (const int error = inputs::writeAll(file_, event); error != 0)
    ir::fail(ir::ErrorKind::Input, "cannot write the timeline: {}", std::strerror(error));
}

void Timeline::begin(const std::string& file) {
  if (!file.empty()) inputs::writeFile(file, "[\n", inputs::Durable::No);
}

void Timeline::end(const std::string& file) {
  if (file.empty()) return;
  const Timeline whole(file, "opbench");
  whole.write(lineOf(nameOf("opbench")) + "\n]\n");
}

}  // namespace opbench
