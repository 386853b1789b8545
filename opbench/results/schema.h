#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

namespace opbench::results {

/// The schema of the lines that this program writes: their first field, `schema`. It grows when a field or one of its values gets
/// another name or meaning. Lines of schema 1 lack the field.
inline constexpr int64_t currentSchema = 2;

/// The schema that a line was written with; 0 where the field `schema` is not a whole number from 1.
int64_t schemaOf(const nlohmann::json& line);

/// The schema of a line that breaks off, as far as its beginning tells; 0 where it cannot be the beginning of a line of results.
int64_t schemaOfTorn(std::string_view line);

/// Translates the names of a line of an older schema to names of the current one.
void translate(nlohmann::json& line);

}  // namespace opbench::results
