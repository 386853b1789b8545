#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/check/tolerances.h"

namespace opbench {

/// A user's configuration of the operators of a suite, for all runs (--config): which to leave out, which are slow, how
/// many samples and how large ones to take. Operators are named by patterns, as with --op.
class SuiteConfig {
 public:
  /// Says nothing.
  SuiteConfig() = default;
  /// Reads a file, unless `path` is empty; what it says of judging results goes to `tolerances`. Errors: Input, `file:line: ...`,
  /// for a file that cannot be read or understood.
  SuiteConfig(const std::string& path, Tolerances& tolerances);
  /// The same of a file's text; `file` is for messages.
  static SuiteConfig parse(const std::string& text, const std::string& file, Tolerances& tolerances);
  static const SuiteConfig& none();

  /// A limit, and where it is set.
  struct Cap {
    int64_t most = 0;
    std::string place;  ///< `file:line`
  };

  /// Why an operator is left out on a device (`cpu`, `cuda:0`); empty where it is not. Slow ones are raced `withSlow` alone.
  std::string whySkipped(const std::string& op, std::string_view device, bool withSlow) const;
  /// The least limits that are set for an operator; nothing where none is.
  std::optional<Cap> maxSamples(const std::string& op) const;
  std::optional<Cap> maxBytes(const std::string& op) const;

 private:
  /// Operators that are left out on devices of a type, or on all where it is empty.
  struct Skip {
    std::string pattern, device, place;
  };
  struct Slow {
    std::string pattern, place;
  };
  struct Limit {
    std::string pattern;
    Cap cap;
  };
  friend class SuiteConfigReader;

  static std::optional<Cap> least(const std::vector<Limit>& limits, const std::string& op);

  std::vector<Skip> skips_;
  std::vector<Slow> slow_;
  std::vector<Limit> maxSamples_, maxBytes_;
};

}  // namespace opbench
