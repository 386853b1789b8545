#pragma once

#include <memory>
#include <vector>

#include "opbench/presentation/stage.h"
#include "opbench/report/summary.h"
#include "opbench/results/sample_result.h"

namespace opbench {

/// A way to show rows of one kind: as they come, at the end, or both.
class Presentation {
 public:
  explicit Presentation(const Stage& stage) : stage_(stage) {}
  virtual ~Presentation() = default;

  /// A run of so many samples begins.
  virtual void begin(int /*samples*/) {}
  /// A row is there, of this kind or another, which is passed over.
  virtual void row(const results::SampleResult& result) = 0;
  virtual void end(const Summary& /*summary*/) {}

 protected:
  const Stage& stage_;
};

/// How a run of the stage's options is presented, each ending after those before it. `stage` outlives them.
std::vector<std::unique_ptr<Presentation>> presentationsOf(const Stage& stage);

}  // namespace opbench
