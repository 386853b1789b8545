#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>

namespace opbench {

/// The checks of the runs of a race. Each is called with a contender's place among the racing contenders, if it is given.
struct RunChecks {
  std::function<void(size_t contender)> audit = {};  ///< has it make a run that is checked and not timed (runtime::Trial::audit)
  std::function<void(size_t contender)> look = {};   ///< looks at the result of its latest run, which was timed, after its time
};

/// The places of audits among timed turns: one among the first turns, and one more whenever these have doubled, each anywhere in
/// its stretch. They are drawn from the system's entropy, so that no contender can know them.
class AuditPlaces {
 public:
  /// The first place is one of the first `first` turns.
  explicit AuditPlaces(int64_t first);
  /// How many of the next `turns` come before the next place; all of them where it lies further on.
  int64_t before(int64_t turns) const;
  /// Goes on by so many turns, which are no more than before() says.
  void advance(int64_t turns) { turn_ += turns; }
  /// The audit at this place was made.
  void next();

 private:
  void draw(int64_t begin);

  std::random_device random_;
  int64_t turn_ = 0;   ///< turns so far
  int64_t place_ = 0;  ///< the turn that the next audit comes before
  int64_t end_;        ///< of its stretch
};

}  // namespace opbench
