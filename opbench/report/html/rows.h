#pragma once

#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace opbench::report::html {

/// A value as JSON that a script element may hold: no text in it ends the element, whatever it says.
std::string scriptJson(const nlohmann::json& value);

/// JSON objects by column: each distinct value of a field is kept once, so that many lines of results take little. Fields of
/// objects in them are columns of their own (`accuracy.rmse`). Fractions have six digits.
class Rows {
 public:
  /// Fields that a row lacks are null. What is nested deeper than any line of results is null, and names beyond a few hundred are
  /// left out: a row may come from anybody.
  void add(const nlohmann::json& object);
  size_t size() const { return size_; }
  /// `{"rows": N, "columns": {NAME: COLUMN, ..}}` as scriptJson(). A column is `{"each": K, "values": [..], "at": [..]}`:
  /// rows K*i to K*i+K-1 have the value at[i] of the values, or, without `at`, value i.
  std::string text() const;

 private:
  struct Column {
    std::unordered_map<std::string, size_t> places{{"null", 0}};
    std::deque<std::string> values{"null"};
    std::vector<size_t> at;  ///< rows after its last are null
    nlohmann::json last;     ///< the value of the last, whose place is
    size_t lastPlace = 0;    ///< this one: most rows repeat it
  };

  void set(const std::string& name, const nlohmann::json& value, int depth);
  std::string text(const Column& column) const;

  std::map<std::string, Column> columns_;
  size_t size_ = 0;
};

}  // namespace opbench::report::html
