#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/check/tolerances.h"

namespace opbench {

/// A user's configuration of a suite, for all runs (--config): which operators and networks to leave out, which are slow, how
/// many samples and how large ones to take, and how networks are run. Its keys are the keys of torchbench's runner. Operators are
/// named by patterns, as with --op, networks by their names as well.
class SuiteConfig {
 public:
  /// Says nothing.
  SuiteConfig() = default;
  /// Reads a file, unless `path` is empty; what it says of judging results goes to `tolerances`. Errors: Input, `file:line: ...`,
  /// for a file that cannot be read or understood.
  SuiteConfig(const std::string& path, Tolerances& tolerances);
  /// Reads a file's text; `file` is for messages.
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

  /// The reason why a network's results are not checked; empty where they are. Results of networks that differ from run to run
  /// are checked where the networks are timed.
  std::string whyNotChecked(const std::string& op, bool isTimed) const;
  /// The batch of a network; nothing where the file gives none.
  std::optional<int64_t> batchSize(const std::string& op) const;
  /// Whether a network that is to be run in float16 or bfloat16 is run in float32 under autocast to it instead.
  bool forcesAutocast(const std::string& op) const;
  /// Whether one that is to be run in bfloat16 is run in float16 instead.
  bool forcesFloat16(const std::string& op) const;

  /// The patterns that name operators.
  const std::vector<OperatorPattern>& patterns() const { return patterns_; }

  /// The keys that say nothing here, as `FILE: skip: freezing, trt_not_yet_working`; empty where there are none.
  std::string withoutEffect() const;

 private:
  /// What is left out on devices of a type, or on all where it is empty; and in a mode of networks, or in all.
  struct Skip {
    std::string pattern, device, mode, place;
  };
  struct Named {
    std::string pattern, place;
  };
  struct Limit {
    std::string pattern;
    Cap cap;
  };
  struct Batch {
    std::string pattern, mode;
    int64_t size = 0;
  };
  friend class SuiteConfigReader;

  static std::optional<Cap> least(const std::vector<Limit>& limits, const std::string& op);
  /// The first that means an operator; null where none does.
  static const Named* firstOf(const std::vector<Named>& list, const std::string& op);

  std::vector<Skip> skips_;
  std::vector<Named> slow_, large_, varying_, autocast_, float16_;
  std::vector<Limit> maxSamples_, maxBytes_;
  std::vector<Batch> batches_;
  std::vector<OperatorPattern> patterns_;
  std::string file_;
  std::vector<std::string> withoutEffect_;
};

}  // namespace opbench
