#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opbench {

/// The enumerators of an enum and their names in texts, each pair once.
template <typename Enum, size_t size>
struct Names {
  std::array<std::pair<Enum, std::string_view>, size> rows;

  /// The enumerator's name; empty where the table lacks it.
  constexpr std::string_view of(Enum value) const {
    for (const auto& [each, name] : rows)
      if (each == value) return name;
    return "";
  }
  /// All names in the order of the table.
  std::vector<std::string> all() const {
    std::vector<std::string> names;
    for (const auto& [each, name] : rows) names.emplace_back(name);
    return names;
  }
  /// The enumerator of a name; nothing where no enumerator has it.
  constexpr std::optional<Enum> from(std::string_view text) const {
    for (const auto& [each, name] : rows)
      if (name == text) return each;
    return std::nullopt;
  }
};

template <typename Enum, size_t size>
constexpr Names<Enum, size> namesOfEnum(const std::pair<Enum, std::string_view> (&rows)[size]) {
  Names<Enum, size> names{};
  std::copy(std::begin(rows), std::end(rows), names.rows.begin());
  return names;
}

}  // namespace opbench
