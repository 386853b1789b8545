#include "opbench/sweep/agenda.h"

#include "ir/error.h"
#include "opbench/sweep/racer.h"

namespace opbench {

void raceHere(Agenda& agenda, const Options& options) {
  Racer racer(options);
  agenda.begin(racer.ready());
  while (auto job = agenda.next()) {
    agenda.start(*job);
    const Finished finished = racer.race(*job);
    agenda.take(finished);
    if (!finished.lost.empty())
      ir::fail(ir::ErrorKind::Toolchain, "device unusable after sample {}: {}", job->index, finished.lost);
  }
}

}  // namespace opbench
