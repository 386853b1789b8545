#include "opbench/run/compiled_call.h"

#include <fmt/format.h>

#include <utility>

#include "codegen/compile.h"
#include "opbench/check/faults/fault.h"
#include "opbench/measure/library.h"
#include "opbench/measure/tune.h"
#include "opbench/run/family.h"
#include "opbench/run/library_choice.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/workloads/call.h"

namespace opbench {
namespace {

using codegen::Plan;
using runtime::CallablePtr;

/// Tells whether another process compiled the kernels before, and how long it took; if it did not, why.
void setPrecompiled(const Plan& plan, const Compilation* compilation, runtime::Callable& callable, Outcome& outcome) {
  const bool wasTried = compilation != nullptr && (!compilation->kernels.empty() || !compilation->failure.empty());
  if (!wasTried) return;
  outcome.precompileMiss = compilation->failure;
  outcome.isPrecompiled = callable.cached && compilation->kernels == kernelsOf(plan);
  if (!outcome.isPrecompiled && outcome.precompileMiss.empty()) outcome.precompileMiss = "its results were inferred wrongly";
  if (!outcome.isPrecompiled) return;
  callable.compileMs = compilation->ms;
  callable.cached = compilation->cached;
}

/// The trial of a library call's candidates, which an earlier one of the same sample spares.
std::optional<LibraryTrial> libraryTrialOf(const SampleContext& context) {
  for (const Outcome& outcome : context.row.outcomes)
    if (outcome.libraryTrial) return outcome.libraryTrial;
  return chooseLibrary(*context.workload.call(), context.graph, context.check, context.bench);
}

/// A library call as the fastest candidate makes it.
CallablePtr fastestLibrary(CallablePtr own, Outcome& outcome, const SampleContext& context) {
  outcome.libraryTrial = libraryTrialOf(context);
  if (!outcome.libraryTrial || outcome.libraryTrial->library.empty()) return own;
  CallablePtr chosen = libraryCallable(*context.workload.call(), context.graph, outcome.libraryTrial->library);
  chosen->reason = own->reason;
  return chosen;
}

}  // namespace

CallablePtr compiledCall(Outcome& outcome, const SampleContext& context) {
  const Bench& bench = context.bench;
  runtime::Workload& workload = context.workload;
  const bool isView = workload.isView();
  Plan plan = isView ? codegen::fallbackPlan(context.graph, "")
                     : codegen::compile(context.graph, bench.device.target(), bench.options.schedules);
  context.row.family = isView ? "view" : familyOf(plan);
  if (bench.tunings != nullptr && !plan.kernels.empty()) outcome.tuning = tune(plan, workload, context.check, bench);
  if (bench.options.fault) breakPlan(plan, *bench.options.fault, bench.device.target());
  context.dump.plan(plan);
  CallablePtr callable = runtime::plannedCallable(workload, plan, bench.device, bench.cache);
  setPrecompiled(plan, bench.compilation, *callable, outcome);
  context.dump.assembly(plan, bench.device);
  if (callable->kind == runtime::Kind::Fallback && bench.options.timing)
    callable = fastestLibrary(std::move(callable), outcome, context);
  return callable;
}

CallablePtr withoutLibrary(Outcome& outcome, const std::string& why, const SampleContext& context) {
  LibraryTrial& libraries = *outcome.libraryTrial;
  libraries.refused.push_back(fmt::format("{}: {}", libraries.library, why));
  libraries.library.clear();
  libraries.gain = 1;
  return libraryCallable(*context.workload.call(), context.graph, "");
}

}  // namespace opbench
