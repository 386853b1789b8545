#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inputs/archive/zip.h"

namespace inputs {

/// A record of an archive as JSON.
class JsonDocument {
 public:
  /// Errors: Input, where it is no JSON, nests deeper than 64 levels or has more than 16 million values.
  JsonDocument(const Archive& archive, const std::string& record);

 private:
  friend class JsonView;
  std::string place_;  ///< `FILE: RECORD`
  nlohmann::json root_;
};

/// A value of a document of strangers. Where it is missing or of another kind, an Input error names the place, as in
/// `FILE: models/model.json: graph_module.graph.nodes[3] has no target`. The document outlives it.
class JsonView {
 public:
  explicit JsonView(const JsonDocument& document) : document_(&document), value_(&document.root_) {}

  /// A member, which must be there; `null` counts as missing.
  JsonView at(const char* key) const;
  bool has(const char* key) const { return value_->is_object() && value_->contains(key) && !value_->at(key).is_null(); }
  bool isInteger() const { return value_->is_number_integer(); }
  bool isNumber() const { return value_->is_number(); }
  bool isString() const { return value_->is_string(); }

  int64_t integer() const;
  /// An integer from `least` to `most`.
  int64_t integer(int64_t least, int64_t most) const;
  /// A number, or one of the words that torch writes for numbers that JSON lacks: `Infinity`, `-Infinity`, `NaN`.
  double number() const;
  bool boolean() const;
  const std::string& text() const;
  /// The elements of a list.
  std::vector<JsonView> items() const;
  /// The members of an object, in the order of their names.
  std::vector<std::pair<std::string, JsonView>> members() const;
  /// The one member of an object that says which of several kinds it is, `{"as_int": 3}`; others are left out, or null.
  std::pair<std::string, JsonView> only() const;

  /// Errors that name the place: Input, and Unsupported.
  [[noreturn]] void refuse(const std::string& why) const;
  [[noreturn]] void unsupported(const std::string& why) const;

 private:
  JsonView(const JsonDocument& document, const nlohmann::json& value) : document_(&document), value_(&value) {}
  [[noreturn]] void expected(std::string_view what) const;
  std::string where() const;

  const JsonDocument* document_;
  const nlohmann::json* value_;
};

}  // namespace inputs
