#include "opbench/cli/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "opbench/report/phrases.h"

namespace opbench {

using report::counted;

namespace {

struct Entry {
  int samples = 0;
  int64_t calls = 0;
};

}  // namespace

std::string listOperators(const std::vector<inputs::Sample>& samples,
                          const std::function<bool(const std::string&)>& isGenerated) {
  std::map<std::string, Entry> entries;
  size_t width = std::string_view("operator").size();
  for (const inputs::Sample& sample : samples) {
    Entry& entry = entries[sample.op];
    ++entry.samples;
    entry.calls += sample.count;
    width = std::max(width, sample.op.size());
  }
  std::string text = fmt::format("{:<{}}{:>9}{:>10}  {}\n", "operator", width, "samples", "calls", "kind");
  Entry all, generated;
  int generatedOperators = 0;
  for (const auto& [op, entry] : entries) {
    const bool ours = isGenerated(op);
    text += fmt::format("{:<{}}{:>9}{:>10}  {}\n", op, width, entry.samples, entry.calls, ours ? "generated" : "fallback");
    for (Entry* sum : {&all, &generated})
      if (sum == &all || ours) sum->samples += entry.samples, sum->calls += entry.calls;
    generatedOperators += ours;
  }
  text += fmt::format("\n{}, {}, {}", counted(entries.size(), "operator"), counted(all.samples, "sample"),
                      counted(all.calls, "call"));
  return text + fmt::format("; generated: {}, {}, {}\n", counted(generatedOperators, "operator"),
                            counted(generated.samples, "sample"), counted(generated.calls, "call"));
}

}  // namespace opbench
