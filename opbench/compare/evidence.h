#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "opbench/compare/control.h"
#include "opbench/compare/judge.h"
#include "opbench/compare/pool.h"

namespace opbench::compare {

/// Whether it is the code that does not change from build to build: eager's, or the first contender of a network.
bool isControl(const results::Record& record);
/// Whether the record is there, and has a time.
bool isMeasured(const results::Record* record);

/// The records of both builds side by side.
class Matching {
 public:
  Matching(const results::Results& base, const results::Results& candidate);

  const results::Record* inBase(const results::Record& record) const { return find(base_, keyOf(record)); }
  const results::Record* inCandidate(const results::Record& record) const { return find(candidate_, keyOf(record)); }

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  using Records = std::map<Key, const results::Record*>;

  Key keyOf(const results::Record& record) const;
  static const results::Record* find(const Records& records, const Key& key);

  bool dtypeCounts_;
  Records base_, candidate_;
};

/// What single runs of the program tell of the scatter, where there are several by a build.
class RunScatter {
 public:
  RunScatter() = default;
  /// `ofControl`: of the control's runs, else of the others'.
  RunScatter(const Pool& base, const Pool& candidate, bool ofControl);

  /// Four runs, of both builds together, are enough.
  bool isKnown() const { return base_ + candidate_ >= 4 && time_.samples() >= Control::least; }

  /// The scatter between both builds of a time, or of a time over the control's, from all samples of about that duration (a
  /// logarithm); from the sample's own runs, where these scatter by twice as much.
  double time(double duration, const Deviations& base, const Deviations& candidate) const;
  double paired(double duration, const Deviations& base, const Deviations& candidate) const;

 private:
  double between(double ofAll, double own) const;

  size_t base_ = 1, candidate_ = 1;  ///< runs
  Control time_, paired_;
};

/// The figures that scatter without a change of the code: the control's times and secondary times, the others' ratios to it, and
/// their secondary times.
struct Controls {
  Control time, secondary, ratios, otherSecondary;
};

/// Gathers the evidence on samples of two pools, which outlive it.
class Witness {
 public:
  /// `controlIsAlone`: no other contender raced, so that the control is compared itself.
  Witness(const Pool& base, const Pool& candidate, const Matching& matching, bool controlIsAlone);

  /// On records of the pools that are both measured.
  Evidence operator()(const results::Record& base, const results::Record& candidate) const;

  const Control& control() const { return controls_.time; }
  bool areRunsKnown() const { return runs_.isKnown(); }

 private:
  bool hasControlMoved(const results::Record& candidate, double drift) const;

  const Pool& base_;
  const Pool& candidate_;
  Controls controls_;
  RunScatter runs_;
  std::map<std::pair<std::string, std::string>, double> controlShifts_;  ///< by sample: log, candidate over baseline
};

}  // namespace opbench::compare
