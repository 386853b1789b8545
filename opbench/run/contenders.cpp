#include "opbench/run/contenders.h"

#include <algorithm>
#include <utility>

#include "inputs/operator_name.h"
#include "opbench/check/faults/fault.h"
#include "opbench/check/faults/network_faults.h"
#include "opbench/run/compiled_call.h"
#include "opbench/run/inductor_contender.h"
#include "opbench/run/network.h"
#include "opbench/run/outcome.h"
#include "runtime/contenders/kernels/kernel_callable.h"
#include "runtime/contenders/registered.h"
#include "runtime/contenders/torchscript.h"
#include "runtime/workloads/call.h"

namespace opbench {
namespace {

using inputs::SampleKind;
using runtime::CallablePtr;

/// Whether a contender is the plan of a network.
bool isOfPlan(const Contender& contender, const SampleContext& context) {
  return contender == Contender::Opbench && inputs::isNetwork(context.workload.op());
}

/// Whether faults are planted in a contender: in what is generated of a call, and in whatever of a network is judged.
bool isSuspect(const Contender& contender, const runtime::Workload& workload) {
  return inputs::isNetwork(workload.op()) ? contender != workload.reference() : contender == Contender::Opbench;
}

/// The call computed by the kernel of the user's that is this contender.
CallablePtr usersKernel(Outcome& outcome, const SampleContext& context) {
  const auto& files = context.bench.kernels;
  const auto isIt = [&](const runtime::KernelFile& file) { return file.contender == outcome.contender.name(); };
  const auto file = std::find_if(files.begin(), files.end(), isIt);
  if (file == files.end()) ir::fail(ir::ErrorKind::Input, "{} has no file", outcome.contender.name());
  return runtime::kernelCallable(context.workload, *file, context.graph, context.bench.device, context.bench.cache);
}

/// A way to make contenders: the first that takes a contender of a kind of sample makes it. Names, and what is raced by default,
/// are in runtime/known_contenders.
struct Maker {
  bool (*takes)(const Contender& contender, SampleKind kind);
  CallablePtr (*make)(Outcome& outcome, const SampleContext& context);
};

constexpr Maker makers[] = {
    {[](const Contender& contender, SampleKind kind) { return contender == Contender::Opbench && inputs::isNetwork(kind); },
     [](Outcome&, const SampleContext& context) { return plannedNetwork(context); }},
    {[](const Contender& contender, SampleKind) { return contender == Contender::Opbench; }, compiledCall},
    {[](const Contender& contender, SampleKind) { return contender == Contender::Inductor; }, inductorContender},
    {[](const Contender& contender, SampleKind) { return contender.isKernel(); }, usersKernel},
    {[](const Contender& contender, SampleKind kind) { return kind == SampleKind::Call && contender == Contender::Torchscript; },
     [](Outcome&, const SampleContext& context) { return runtime::torchscriptCallable(*context.workload.call()); }},
    {[](const Contender& contender, SampleKind) { return contender.isOwn(); },
     [](Outcome& outcome, const SampleContext& context) {
       return runtime::registeredCallable(context.workload, outcome.contender.name());
     }},
    {[](const Contender& contender, SampleKind kind) { return kind == SampleKind::Call && contender != Contender::Eager; },
     [](Outcome& outcome, const SampleContext& context) {
       return runtime::namesakeCallable(*context.workload.call(), outcome.contender.name());
     }},
    {[](const Contender&, SampleKind) { return true; },
     [](Outcome& outcome, const SampleContext& context) { return context.workload.make(outcome.contender); }},
};

CallablePtr made(Outcome& outcome, const SampleContext& context) {
  const SampleKind kind = inputs::kindOf(context.workload.op());
  const auto* const maker =
      std::find_if(std::begin(makers), std::end(makers), [&](const Maker& each) { return each.takes(outcome.contender, kind); });
  return maker->make(outcome, context);
}

/// Lends the trial of a callable that is made for as long as somebody uses it.
auto lender(const std::function<CallablePtr()>& make, const SampleContext& context) {
  return [make, &context](const std::function<void(runtime::Trial&)>& use) {
    const CallablePtr callable = make();
    const std::unique_ptr<runtime::Trial> trial = context.bench.device.prepare(*callable, context.workload);
    trial->arithmetic = callable->arithmetic;
    trial->anyStrides = callable->anyStrides;
    use(*trial);
  };
}

}  // namespace

PreparedContender prepare(Outcome& outcome, CallablePtr callable, const SampleContext& context) {
  const auto fault = context.bench.options.fault;
  const auto withEagersDraws = callable->withEagersDraws;
  const bool isBroken = fault && isSuspect(outcome.contender, context.workload);
  if (isBroken && (!isOfPlan(outcome.contender, context) || isOfNetworks(*fault)))
    callable = broken(std::move(callable), *fault, context.workload);
  PreparedContender contender{&outcome, std::move(callable), nullptr};
  describe(*contender.callable, outcome);
  contender.trial = context.bench.device.prepare(*contender.callable, context.workload);
  if (isBroken) contender.trial = broken(std::move(contender.trial), *fault);
  contender.trial->arithmetic = contender.callable->arithmetic;
  contender.trial->anyStrides = contender.callable->anyStrides;
  if (withEagersDraws) contender.trial->withEagersDraws = lender(withEagersDraws, context);
  contender.trial->label = name(outcome.contender);
  outcome.notCaptured = contender.trial->notCaptured;
  outcome.graphNodes = contender.trial->kernelNodes();
  return contender;
}
PreparedContender prepare(Outcome& outcome, const SampleContext& context) {
  return prepare(outcome, made(outcome, context), context);
}

}  // namespace opbench
