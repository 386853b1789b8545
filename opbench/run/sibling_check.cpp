#include "opbench/run/sibling_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "inputs/convert.h"
#include "inputs/operator_name.h"
#include "inputs/siblings.h"
#include "opbench/run/outcome.h"
#include "runtime/torch/infer.h"

namespace opbench {
namespace {

constexpr int usual = 2;

bool isUsers(const Outcome& outcome) { return outcome.contender.isOwn() || isNamespace(outcome.contender); }

/// Whether somebody else than ATen computes it, whose results on the sample are right.
bool isChecked(const Outcome& outcome, const RaceSettings& options) {
  if (outcome.status != Status::Ok || outcome.contender == Contender::Eager) return false;
  if (isUsers(outcome)) return true;
  if (outcome.contender == Contender::Opbench && outcome.kind != runtime::Kind::Generated) return false;
  // What takes seconds to compile, and what is timed, is checked on siblings where that is asked for.
  return options.siblings || (!options.timing && outcome.contender != Contender::Inductor);
}

/// The contenders that are checked, as long as they are right.
std::vector<Contender> checkedOf(const Row& row, const RaceSettings& options) {
  std::vector<Contender> contenders;
  for (const Outcome& outcome : row.outcomes)
    if (isChecked(outcome, options)) contenders.push_back(outcome.contender);
  return contenders;
}

/// The number of siblings of a row to check: two by default, where contenders are the user's or nothing is timed.
int numberOf(const Row& row, const RaceSettings& options) {
  if (!options.accuracyChecking || options.isAA || !row.notChecked.empty() || !inputs::isCall(row.op)) return 0;
  if (options.siblings) return *options.siblings;
  if (options.fault || !options.profile.folder.empty()) return 0;  // which measure something else
  return usual;
}

/// The options of a run that only checks these contenders.
RaceSettings checkOnly(const RaceSettings& options, const std::vector<Contender>& contenders) {
  RaceSettings only = options;
  only.contenders = contenders;
  only.siblings = 0;
  only.timing = only.tune = false;
  only.dump.clear();
  only.profile = {};
  only.schedules.clear();
  only.processFaults.clear();
  return only;
}

/// Whether ATen's rules say that the results take more than siblings may, or are many tensors.
bool hasLargeResults(const inputs::Sample& sample) {
  constexpr size_t many = 256;
  const auto graph = runtime::graphByRule(sample);
  if (!graph) return false;
  if (graph->outputs.size() > many) return true;
  int64_t bytes = 0;
  for (const int output : graph->outputs) {
    const ir::TensorType& type = graph->values[static_cast<size_t>(output)].type;
    bytes += type.numel() * ir::sizeOf(type.dtype);
  }
  return bytes > std::max(inputs::mostSiblingBytes, inputs::argumentBytes(sample));
}

/// Takes over from a sibling's outcome that the contender is wrong or has failed.
void judge(Outcome& outcome, const Outcome& ofSibling, const inputs::Sibling& sibling) {
  const bool isWrong = ofSibling.status == Status::Wrong;
  if (!isWrong && (ofSibling.status != Status::Error || isUsers(outcome))) return;
  setWrong(outcome, fmt::format("on its sibling {}, {}: {}", sibling.sample.recorded, sibling.what, ofSibling.reason));
  if (!isWrong) outcome.status = ofSibling.status;
  outcome.sibling = sibling.sample.recorded;
}

}  // namespace

void checkSiblings(const inputs::Sample& recorded, Row& row, const Bench& bench, const RaceWorkload& race) {
  int left = numberOf(row, bench.options);
  if (left == 0 || checkedOf(row, bench.options).empty()) return;  // siblings take a while to make
  for (const inputs::Sibling& sibling :
       inputs::mostTellingFirst(inputs::siblingsOf(recorded, inputs::mostSiblingBytes), bench.options.seed)) {
    std::vector<Contender> contenders = checkedOf(row, bench.options);
    if (left == 0 || contenders.empty()) return;
    contenders.insert(contenders.begin(), Contender::Eager);
    const RaceSettings options = checkOnly(bench.options, contenders);
    Row other = rowOf(sibling.sample, row.index, contenders);
    attempt(other.outcomes, "", [&] {
      const inputs::Sample sample = inputs::convert(sibling.sample, options.dtype, options.channelsLast);
      if (hasLargeResults(sample)) return skip(other.outcomes, "its results are large");
      race(sample, other,
           {options, bench.run, bench.device, bench.cache, nullptr, bench.tolerances, bench.config, nullptr, 0, bench.inductor,
            bench.compilersOnGpu, bench.kernels, /*anyStrides=*/true});
    });
    if (other.outcomes.front().status != Status::Ok) continue;  // ATen's
    --left;
    for (Outcome& outcome : row.outcomes)
      for (const Outcome& ofSibling : other.outcomes)
        if (ofSibling.contender == outcome.contender) judge(outcome, ofSibling, sibling);
  }
}

}  // namespace opbench
