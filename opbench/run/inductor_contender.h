#pragma once

#include "opbench/inductor/inductor.h"
#include "opbench/run/sample_context.h"
#include "runtime/callable.h"

namespace opbench {

/// The settings by which a run's networks are compiled, for a torch of this release: nothing is timed meanwhile, so that all
/// these processors may compile, each process of a share of them.
InductorSettings inductorSettingsOf(const RaceSettings& options, const std::string& torch, const std::vector<int>& processors);
/// The settings by which calls and regions are compiled, which takes some seconds. A minute is enough: nothing is timed while one
/// of them is compiled.
InductorSettings inductorSettingsOfCalls(const RaceSettings& options, const std::string& torch);

/// Compiles the graph of a network's run by all settings that its race asks for; returns the package that is timed. The one that
/// draws eager's numbers is asked for where results are checked.
Inductor::Package compileNetwork(Inductor& inductor, const ir::Graph& graph, bool isChecked);

/// The callable of the sample's graph, or of the graph of a network's run, as Inductor compiled it: ahead of the race, or now.
/// Errors: Unsupported, with what Inductor said.
runtime::CallablePtr inductorContender(Outcome& outcome, const SampleContext& context);

}  // namespace opbench
