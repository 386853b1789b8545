#pragma once

#include <vector>

#include "ir/verify/access.h"

namespace ir {

/// Where a statement stands.
struct Around {
  bool isFirst = false;      ///< the first one of the kernel, or after nothing but grid loops
  bool isAfterGrid = false;  ///< right after a grid loop
  bool isBeforeGrid = false;
  bool grid = false;
  bool cluster = false;
  bool thread = false;
  bool isUniform = true;  ///< whether conditions around it read no memory
};

/// The rules for what threads do together: combinations, barriers and asynchronous copies.
class WaitVerifier {
 public:
  WaitVerifier(const Kernel& kernel, const AccessVerifier& verifier) : kernel_(kernel), verifier_(verifier) {}

  void statement(const Combine& combine, const Around& around) const;
  void statement(const Barrier& barrier, const Around& around) const;
  void statement(const CommitCopies& commit, const Around& around) const;
  void statement(const AwaitCopies& await, const VerifyScope& scope) const;
  void asynchronous(const Lanes& lanes) const;
  /// With explicit barriers one follows each grid loop but the last statement.
  void gridLoops() const;
  /// Whether one CTA of a cluster carries a statement out.
  bool isInCta(const Around& around) const { return around.cluster || kernel_.launch.cluster == 1; }

 private:
  void combined(const Combine::Item& item, const std::vector<Combine::Item>& items) const;
  void partials(const Combine& combine, const Combine::Item& item) const;
  const Local& privateArray(int buffer) const;
  const Local& local(int buffer) const;
  void demandOnce(int buffer, const std::vector<Combine::Item>& items) const;
  void demandExplicit(std::string_view what) const;

  const Kernel& kernel_;
  const AccessVerifier& verifier_;
};

}  // namespace ir
