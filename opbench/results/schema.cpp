#include "opbench/results/schema.h"

#include <span>
#include <string>

namespace opbench::results {
namespace {

using Json = nlohmann::json;

struct Renamed {
  const char *old, *now;
};

/// The fields of schema 1 that have other names in schema 2.
constexpr Renamed fields[] = {{"batches_us", "rounds_us"},
                              {"compiled_ahead", "precompiled"},
                              {"floor_bound", "launch_bound"},
                              {"floor_us", "launch_overhead_us"},
                              {"marginal_high_us", "throughput_high_us"},
                              {"marginal_low_us", "throughput_low_us"},
                              {"marginal_speedup", "throughput_speedup"},
                              {"marginal_us", "throughput_us"},
                              {"not_ahead", "precompile_miss"},
                              {"of_sol", "of_roofline"},
                              {"self_test", "aa"},
                              {"sol_us", "roofline_us"},
                              {"spread", "aa_noise"},
                              {"vacuous", "trivial_solution"}};

/// Renamed fields of the entries of `tuning.tried`.
constexpr Renamed triedFields[] = {{"tiling", "schedule"}};

/// A word of a field's text that another one replaces.
struct RenamedWord {
  const char* field;
  std::string_view old, now;
};
constexpr RenamedWord words[] = {
    {"kind", "extern", "fallback"}, {"family", "extern", "fallback"}, {"options", "--self-test", "--aa"}};

void rename(Json& object, std::span<const Renamed> names) {
  if (!object.is_object()) return;
  for (const Renamed& name : names) {
    const auto found = object.find(name.old);
    if (found == object.end()) continue;
    Json value = std::move(*found);
    object.erase(found);
    object[name.now] = std::move(value);
  }
}

/// Replaces a word between blanks, wherever it occurs.
std::string replaced(const std::string& text, const RenamedWord& word) {
  std::string result;
  for (size_t from = 0; from <= text.size();) {
    const size_t to = std::min(text.find(' ', from), text.size());
    const std::string part = text.substr(from, to - from);
    result.append(from == 0 ? "" : " ").append(part == word.old ? word.now : part);
    from = to + 1;
  }
  return result;
}

void rename(Json& line, const RenamedWord& word) {
  const auto found = line.find(word.field);
  if (found != line.end() && found->is_string()) *found = replaced(found->get<std::string>(), word);
}

/// The array `tuning.tried` of a line; null where it has none.
Json* triedOf(Json& line) {
  const auto tuning = line.find("tuning");
  if (tuning == line.end() || !tuning->is_object()) return nullptr;
  const auto tried = tuning->find("tried");
  return tried != tuning->end() && tried->is_array() ? &*tried : nullptr;
}

bool isBeginning(std::string_view text, std::string_view of) { return text.substr(0, of.size()) == of.substr(0, text.size()); }

}  // namespace

int64_t schemaOf(const Json& line) {
  const auto found = line.find("schema");
  if (found == line.end()) return 1;
  return found->is_number_unsigned() && *found <= INT64_MAX ? found->get<int64_t>() : 0;
}

int64_t schemaOfTorn(std::string_view line) {
  if (isBeginning(line, R"({"schema":)")) return currentSchema;
  return isBeginning(line, R"({"index":)") ? 1 : 0;
}

void translate(Json& line) {
  if (schemaOf(line) != 1) return;
  rename(line, fields);
  for (const RenamedWord& word : words) rename(line, word);
  if (Json* tried = triedOf(line))
    for (Json& entry : *tried) rename(entry, triedFields);
}

}  // namespace opbench::results
