#include "opbench/sweep/agenda.h"

#include "ir/error.h"
#include "opbench/sweep/sample_runner.h"

namespace opbench {

void raceHere(Agenda& agenda, const Options& options) {
  SampleRunner runner(options);
  agenda.begin(runner.ready());
  while (auto job = agenda.next()) {
    agenda.start(*job);
    const Finished finished = runner.race(*job);
    agenda.take(finished);
    if (!finished.lost.empty())
      ir::fail(ir::ErrorKind::Toolchain, "device unusable after sample {}: {}", job->index, finished.lost);
  }
}

}  // namespace opbench
