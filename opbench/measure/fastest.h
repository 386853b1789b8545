#pragma once

#include <functional>
#include <string>
#include <vector>

#include "opbench/measure/bench.h"
#include "runtime/workload.h"

namespace opbench {

/// Runs a trial and says why its result is wrong; nothing where it is right.
using Check = std::function<std::string(runtime::Trial&)>;

/// A way of computing a call that is tried.
struct Candidate {
  std::string name;
  std::function<runtime::CallablePtr()> make;
};

/// A candidate that was timed.
struct TimedCandidate {
  size_t candidate = 0;
  double seconds = 0;
};

/// The outcome of trying the candidates of a call.
struct Fastest {
  size_t winner = 0;                  ///< the first candidate, unless another one is faster beyond noise
  double gain = 1;                    ///< the first one's time over the winner's
  std::vector<TimedCandidate> timed;  ///< none where the first one fails or is wrong
  std::vector<std::string> refused;   ///< the others that did not race, and why: `baddbmm: it does not fit`
};

/// Races candidates on the call's own data for so many rounds, and the winner against the first one once more. Candidates that
/// fail, are wrong or take several times as long do not race. Nothing of them is left afterwards.
Fastest findFastest(const std::vector<Candidate>& candidates, int rounds, runtime::Workload& workload, const Check& check,
                    const Bench& bench);

/// The winner among times of which the first is the default's: the least, unless the default is within noise of it.
size_t fastest(const std::vector<double>& seconds);

}  // namespace opbench
