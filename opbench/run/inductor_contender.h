#pragma once

#include "opbench/inductor/inductor.h"
#include "opbench/run/sample_context.h"
#include "runtime/callable.h"

namespace opbench {

/// How a run's networks are compiled, for a torch of this release: nothing is timed meanwhile, so that all these processors may
/// compile.
InductorSettings inductorSettingsOf(const Options& options, const std::string& torch, const std::vector<int>& processors);
/// The same for calls and regions, which take some seconds. A minute is enough: nothing is timed while one of them is compiled.
InductorSettings inductorSettingsOfCalls(const Options& options, const std::string& torch);

/// The sample's graph, or that of a network's run, as Inductor compiled it: ahead of the race, or now. Errors: Unsupported, with
/// what Inductor said.
runtime::CallablePtr inductorContender(Outcome& outcome, const SampleContext& context);

}  // namespace opbench
