#include "opbench/show/table.h"

namespace opbench::show {
namespace {

constexpr std::pair<std::string_view, Format> names[] = {
    {"table", Format::Table}, {"markdown", Format::Markdown}, {"latex", Format::Latex}, {"csv", Format::Csv}};

}  // namespace

std::vector<std::string> formatNames() {
  std::vector<std::string> result;
  for (const auto& [name, _] : names) result.emplace_back(name);
  return result;
}

std::optional<Format> formatFromName(std::string_view text) {
  for (const auto& [name, format] : names)
    if (name == text) return format;
  return std::nullopt;
}

}  // namespace opbench::show
