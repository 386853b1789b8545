#include "opbench/measure/library.h"

#include "ir/error.h"
#include "runtime/contenders/library/callables.h"
#include "runtime/workloads/call.h"

namespace opbench {

std::optional<LibraryTrial> tryLibraries(runtime::Call& call, const ir::Graph& graph, const Check& check, const Bench& bench) {
  constexpr int rounds = 1;
  std::vector<Candidate> candidates;
  const auto add = [&](const std::string& library) {
    candidates.push_back({library, [&call, &graph, library] { return libraryCallable(call, graph, library); }});
  };
  add("");
  for (const runtime::CallablePtr& callable : runtime::libraryCallables(call, graph)) add(callable->library);
  if (candidates.size() == 1) return std::nullopt;
  const Fastest found = findFastest(candidates, rounds, call, check, bench);
  LibraryTrial trial{candidates[found.winner].name, found.gain, {}, found.refused};
  for (const TimedCandidate& timed : found.timed) trial.tried.push_back({candidates[timed.candidate].name, timed.seconds});
  return trial;
}

runtime::CallablePtr libraryCallable(runtime::Call& call, const ir::Graph& graph, const std::string& library) {
  if (library.empty()) return runtime::eagerCallable(call);
  for (runtime::CallablePtr& callable : runtime::libraryCallables(call, graph))
    if (callable->library == library) return std::move(callable);
  ir::fail(ir::ErrorKind::Internal, "no candidate '{}' applies", library);
}

}  // namespace opbench
