#include "opbench/report/networks/memory_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "opbench/report/columns.h"

namespace opbench::report {
namespace {

constexpr size_t mostLines = 10;

Cell inMegabytes(int64_t bytes) { return {fmt::format("{:.3f}", static_cast<double>(bytes) * 1e-6)}; }

/// Lines as one: what they add together, and the most of their peaks.
runtime::MemoryLine together(std::string name, std::span<const runtime::MemoryLine> lines) {
  runtime::MemoryLine sum{std::move(name)};
  for (const runtime::MemoryLine& line : lines) {
    sum.added += line.added;
    sum.peak = std::max(sum.peak, line.peak);
  }
  return sum;
}

}  // namespace

std::string memoryTrace(const Row& row, const Layout& layout, bool isWhole) {
  if (row.memoryTrace.empty()) return "";
  std::vector<runtime::MemoryLine> lines = row.memoryTrace;
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.added > b.added; });
  const std::span<const runtime::MemoryLine> all = lines;
  const auto shown = all.first(isWhole ? all.size() : std::min(mostLines, all.size())), others = all.subspan(shown.size());
  const std::string rest = fmt::format("{} others", others.size());
  size_t longest = rest.size();
  for (const runtime::MemoryLine& line : shown) longest = std::max(longest, line.name.size());
  const Columns table("module or operator", static_cast<int>(longest), {{"added", 12, 0}, {"current", 12, 0}, {"peak", 12, 0}},
                      "", layout.room, layout.colour);
  std::string text = fmt::format("\nmemory of {} of {}, eager, in MB of 10^6 bytes\n", row.op, row.brief);
  text += table.heading();
  for (const runtime::MemoryLine& line : shown)
    text += table.line(line.name, {inMegabytes(line.added), inMegabytes(line.current), inMegabytes(line.peak)}, {});
  const auto sum = [&](const runtime::MemoryLine& line, const Cell& current) {
    text += table.line(line.name, {inMegabytes(line.added), current, inMegabytes(line.peak)}, {});
  };
  if (!others.empty()) sum(together(rest, others), {"-"});
  const runtime::MemoryLine total = together("total", all);
  sum(total, inMegabytes(total.added));  // operands are a line of their own
  return text;
}

}  // namespace opbench::report
