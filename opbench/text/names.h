#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

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
