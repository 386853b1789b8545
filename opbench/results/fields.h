#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "opbench/results/device_rates.h"
#include "opbench/results/record.h"

namespace opbench::results {

/// The value of a field: absent, a number or a text. A flag is the text `true` or `false`.
using Scalar = std::variant<std::monostate, double, std::string>;

/// The fields of one JSON line by their types. Errors: Input, `where: FIELD is ...`, for a field of another type, a number
/// that is none (negative, NaN) and a required field that is missing.
class Fields {
 public:
  /// `where` is the `FILE:LINE` of messages. Errors: Input where the text is no JSON object.
  Fields(std::string_view text, std::string where);
  /// A line of results, whatever its schema, by the names of the current one (schema.h). Errors: Input, also for a line of a
  /// schema that this program does not read.
  static Fields ofLine(std::string_view text, std::string where);

  /// A text that must be there; what cannot be shown (inputs::printable) is `?`.
  std::string requiredText(const char* name) const;
  /// The name of an operator that samples may call (inputs/operator_name.h); it must be there.
  std::string operatorName(const char* name) const;
  std::string text(const char* name) const;  ///< empty where absent
  std::optional<double> number(const char* name) const;
  std::optional<Interval> interval(const char* low, const char* high) const;        ///< absent unless both ends are there
  std::optional<Interval> signedInterval(const char* low, const char* high) const;  ///< its ends may be less than 0
  /// The device's A/A noise by duration, which earlier programs did not tell apart.
  AANoise aaNoise() const;
  /// A 95 % interval of the main time or the speedup. Earlier programs wrote the time of a single run as both ends: absent, too.
  std::optional<Interval> confidence(const char* low, const char* high) const;
  std::optional<double> signedNumber(const char* name) const;  ///< one that may be less than 0
  std::vector<double> numbers(const char* name) const;
  std::vector<std::string> texts(const char* name) const;
  std::optional<int64_t> integer(const char* name, int64_t most = 9'000'000'000'000'000) const;  ///< from 0 on
  std::optional<uint64_t> natural(const char* name) const;                                       ///< of all 64 bits
  bool flag(const char* name) const;                                                             ///< false where absent
  bool has(const char* name) const { return find(name) != nullptr; }
  int64_t schema() const { return schema_; }  ///< that the line was written with
  std::optional<Fields> object(const char* name) const;
  std::vector<Fields> objects(const char* name) const;  ///< of a list; empty where absent

  /// All fields that are a number, a text, a flag or null, by name; fields of an object as `object.name`. Lists are left out.
  std::map<std::string, Scalar> scalars() const;
  /// The scalars whose names are wanted, which is asked of each name.
  std::map<std::string, Scalar> scalars(const std::function<bool(const std::string& name)>& isWanted) const;

  [[noreturn]] void refuse(const std::string& what) const;

 private:
  Fields() = default;
  Fields part(const char* name, const nlohmann::json& value) const;
  void requireObject() const;
  std::optional<Interval> ordered(const char* low, std::optional<double> from, const char* high, std::optional<double> to) const;
  const nlohmann::json* find(const char* name) const;
  const nlohmann::json& items(const char* name) const;  ///< of a list; none where absent
  double finite(const char* name, const nlohmann::json& value) const;
  double positive(const char* name, const nlohmann::json& value) const;

  nlohmann::json object_;
  int64_t schema_ = 0;  ///< of a line of results
  std::string where_;
};

}  // namespace opbench::results
