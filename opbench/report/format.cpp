#include "opbench/report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace opbench::report {
namespace {

std::string_view escape(Tone tone) {
  switch (tone) {
    case Tone::Plain: return "";
    case Tone::Good: return "\033[32m";
    case Tone::Bad: return "\033[31m";
    case Tone::Warning: return "\033[33m";
    case Tone::Faint: return "\033[2m";
    case Tone::Strong: return "\033[1m";
  }
  return "";
}

/// About four significant digits.
std::string digits(double value) {
  if (std::abs(value) >= 1000) return fmt::format("{:.0f}", value);
  return std::abs(value) >= 100 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

}  // namespace

std::string toned(std::string_view text, Tone tone, bool colour) {
  if (!colour || tone == Tone::Plain) return std::string(text);
  return fmt::format("{}{}\033[0m", escape(tone), text);
}

Tone toneOfSpeedup(double speedup) { return speedup >= 1.05 ? Tone::Good : speedup < 0.95 ? Tone::Bad : Tone::Plain; }

std::string microseconds(std::optional<double> seconds) { return seconds ? digits(*seconds * 1e6) : "-"; }

std::string time(std::optional<double> seconds) {
  if (!seconds) return "-";
  constexpr double longest = 10000;  // in one unit, before the next larger one is used
  if (std::abs(*seconds) * 1e6 < longest) return digits(*seconds * 1e6) + " us";
  if (std::abs(*seconds) * 1e3 < longest) return digits(*seconds * 1e3) + " ms";
  return digits(*seconds) + " s";
}

std::string speedup(std::optional<double> ratio) { return ratio ? fmt::format("{}x", digits(*ratio)) : "-"; }

std::string gigabytes(std::optional<double> bytesPerSecond) {
  if (!bytesPerSecond) return "-";
  const double value = *bytesPerSecond / 1e9;
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
}

std::string percent(std::optional<double> share) { return share ? fmt::format("{:.0f}%", *share * 100) : "-"; }

std::string width(std::optional<double> share) {
  if (!share) return "-";
  return *share < 0.0995 ? fmt::format("{:.1f}%", *share * 100) : fmt::format("{:.0f}%", *share * 100);
}

std::string milliseconds(std::optional<double> ms) { return ms ? fmt::format("{:.1f}", *ms) : "-"; }

std::string sparkline(const std::vector<int64_t>& counts, bool blocks) {
  constexpr std::array<std::string_view, 8> ofBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
      ofAscii{".", ":", "-", "=", "+", "*", "#", "@"};
  const int64_t most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  std::string text;
  for (const int64_t count : counts) {
    const auto height =
        count == 0 ? 0 : static_cast<size_t>(std::ceil(8.0 * static_cast<double>(count) / static_cast<double>(most)));
    text += height == 0 ? " " : (blocks ? ofBlocks : ofAscii)[height - 1];
  }
  return text;
}

std::string bar(double share, int width) {
  constexpr std::array<std::string_view, 8> parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<int>(std::lround(8 * width * std::clamp(share, 0.0, 1.0)));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  text += parts[static_cast<size_t>(eighths % 8)];
  return fmt::format("{:<{}}", text, width);
}

size_t charactersOf(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

std::string cut(std::string_view text, int width) {
  if (static_cast<int>(charactersOf(text)) <= width) return std::string(text);
  if (width < 2) return std::string(static_cast<size_t>(width), '.');
  size_t end = 0;
  for (int i = 0; i < width - 2; ++i)
    for (++end; (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80;) ++end;
  return std::string(text.substr(0, end)) + "..";
}

std::string wrapped(std::string_view text, int width) {
  constexpr std::string_view indent = "    ";
  std::string lines;
  for (size_t room = static_cast<size_t>(width); width > 0 && text.size() > room;
       room = static_cast<size_t>(width) - indent.size()) {
    const size_t end = text.rfind(' ', room);
    if (end == std::string_view::npos) break;
    lines += fmt::format("{}\n{}", text.substr(0, end), indent);
    text.remove_prefix(end + 1);
  }
  return lines.append(text);
}

std::string left(std::string_view text, int width) { return fmt::format("{:<{}}", cut(text, width), width); }

std::string right(std::string_view text, int width) { return fmt::format("{:>{}}", cut(text, width), width); }

std::string_view shortOperator(std::string_view op) {
  constexpr std::string_view overload = ".default";
  if (op.ends_with(overload)) op.remove_suffix(overload.size());
  return op;
}

std::string shortKernel(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  std::string text;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool isUnnamed = name.substr(i).starts_with("(anonymous namespace)");
    if (isUnnamed) i += std::string_view("(anonymous namespace)::").size();
    if (i >= name.size() || (depth == 0 && name[i] == '(')) break;
    if (name[i] == '<' && depth++ == 0) text += "<>";
    if (depth == 0) text += name[i];
    if (name[i] == '>' && depth > 0) --depth;
  }
  return text.empty() ? std::string(name) : text;
}

}  // namespace opbench::report
