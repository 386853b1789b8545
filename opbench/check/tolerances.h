#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/operators/judgement.h"
#include "ir/dtype.h"

namespace opbench {

using inputs::Rule;

/// How much a user lets the results of a network differ, in the words of Dynamo's runner. What counts is how the network is run.
enum class Leniency {
  Higher,      ///< 1e-3 in training on a GPU
  EvenHigher,  ///< 8e-2 in training on a GPU
  HigherFp16,  ///< 1e-2 in float16, and under autocast
  HigherBf16,  ///< 1e-2 in bfloat16
  Cosine,      ///< in training on a GPU the direction of results is enough
};

/// How a network is run, as far as that decides how it is judged.
struct NetworkRun {
  ir::DType dtype = ir::DType::F32;  ///< of its parameters
  bool isAutocast = false;
  bool isOnGpu = false;
  bool byCosine = false;  ///< the direction of results is enough, as the user says of all
};

/// The criterion of right results of one operator.
struct Criterion : inputs::Judgement {
  std::optional<double> tolerance = {};  ///< in place of the dtype's
  double terms = 1;         ///< elements that one is combined from at the least, whatever the sizes of arguments and results say
  bool isTf32 = false;      ///< f32 is computed with the digits of f16, and judged as f16
  bool mayVary = false;     ///< results may differ from run to run, eager's too
  bool anyStrides = false;  ///< results may lie otherwise in memory than eager's
  double leastTolerance = 0;  ///< of a network: the dtype's tolerance is no less
  bool byCosine = false;      ///< of a network: results that point where the reference does are right
};

/// How far close results may be from what is expected.
struct Limit {
  double element = 0;  ///< of one element, absolute and relative to 1 + |expected|
  /// The root mean square error may be so many times eager's, plus this share of the root mean square of the expected values,
  /// plus the error that a sum of so many terms may have. Eager's error is known where there is a float64 reference.
  double eagerErrors = 1;
  double share = 0;
  double accumulated = 0;       ///< relative to 1 + the root mean square of the expected values
  bool isElementAlone = false;  ///< only the first is asked
  double floor = 0;             ///< of networks: a root mean square error that is noise, whatever size its output has
  double leastCosine = 2;       ///< of networks: what has so large a cosine to the reference is right; none has more than 1
};

/// A pattern of operators in a file of the user's, and where it stands.
struct OperatorPattern {
  std::string pattern;
  std::string place;          ///< `file:line`
  bool mayBeNetwork = false;  ///< whether it may name a network as well
};

/// Rules and tolerances: what is known of operators (inputs/operators), tolerances.yaml, which is compiled in, and what a user's
/// file of the same form says otherwise.
class Tolerances {
 public:
  Tolerances();
  /// Reads a user's file on top, unless `path` is empty. Errors: Input `file:line: ...` for a file that cannot be read or
  /// understood.
  void read(const std::string& path);
  /// The patterns of a user's files that name operators.
  const std::vector<OperatorPattern>& patterns() const { return patterns_; }
  /// The table that is compiled in.
  static const Tolerances& standard();

  /// The criterion of an operator such as `aten.index_select.default`, in place or not.
  Criterion criterionFor(const std::string& op) const;
  /// The criterion of a network that is run so.
  Criterion criterionFor(const std::string& op, const NetworkRun& run) const;
  /// The criterion of calls of several operators whose results are judged as one's: exact or a copy where each may be that, close
  /// else.
  Criterion criterionFor(const std::vector<std::string>& ops) const;
  /// The limit of elements of a dtype that are combined from `terms` others; zero for dtypes that are not floating. Where
  /// arguments may be rounded before they are used, low precision rounds more than once.
  Limit limit(const Criterion& criterion, ir::DType dtype, bool hasReference, double terms = 1,
              bool roundsArguments = false) const;

 private:
  /// One entry of the table; a key that it does not set is nothing.
  struct Entry {
    std::vector<std::string> names;
    bool isOfNetworks = false;  ///< whether the names may name networks as well
    std::optional<Rule> rule;
    std::optional<Leniency> leniency;
    std::optional<double> tolerance;
    std::optional<std::map<int, inputs::IndexKind>> indices;
    std::optional<bool> isCumulative, mayCopy, mayBeConstant, mayVary;
    std::optional<std::set<int>> copies, workspaces;
  };
  friend class TolerancesReader;

  static bool isOf(const Entry& entry, const std::string& op);
  bool isLenient(const std::string& op, Leniency leniency) const;

  std::array<double, ir::dtypeCount> ofDType_{};
  double accumulation_ = 0;
  double withoutReference_ = 1;
  double eagerErrors_ = 1, eagerErrorsLow_ = 1;
  std::vector<Entry> entries_;
  std::vector<OperatorPattern> patterns_;
};

}  // namespace opbench
