#include "opbench/check/correctness_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "inputs/data/rows.h"
#include "inputs/data/schema.h"
#include "inputs/operator_name.h"
#include "inputs/operators/facts.h"
#include "opbench/check/chance.h"
#include "opbench/check/randomness.h"
#include "opbench/timeline/stage.h"
#include "runtime/compare/oracle.h"
#include "runtime/workloads/call.h"

namespace opbench {
namespace {

using inputs::Data;
using inputs::Distribution;

/// Another stream of the generator: no seed near a user's.
uint64_t otherSeed(uint64_t seed) { return seed ^ 0x5eedf00d5eedf00dULL; }

/// The sets of data after the first one, the last one first.
std::vector<Data> setsAfter(const Data& data, int64_t turnsOfRows) {
  if (data.distribution != Distribution::Normal) return {data};
  std::vector<Data> sets;
  for (int64_t turn = turnsOfRows; turn-- > 0;) sets.push_back({.distribution = Distribution::Specials, .turn = turn});
  sets.insert(sets.end(), {Data{Distribution::Spread}, Data{Distribution::Far}});
  return sets;
}

/// Elements that a call combines for one of its smallest result.
double termsOf(const ir::Graph& graph, const ir::Node& node) {
  const auto numel = [&](int value) { return graph.values[static_cast<size_t>(value)].type.numel(); };
  int64_t most = 1, least = std::numeric_limits<int64_t>::max();
  for (const ir::NamedArgument& argument : node.args)
    if (const auto* value = argument.value.as<ir::ValueRef>()) most = std::max(most, numel(value->index));
  for (const int output : node.outputs) least = std::min(least, std::max<int64_t>(numel(output), 1));
  return std::max(1.0, static_cast<double>(most) / static_cast<double>(least));
}

/// Whether a call normalises rows: all but the first dimension, all but the channels, or a shape that it is given.
bool isNorm(const std::string& op) {
  const std::optional<inputs::Combined> combined = inputs::combinedOf(op);
  return combined == inputs::Combined::AllButFirst || combined == inputs::Combined::AllButChannels ||
         inputs::positionOf(inputs::schemaOf(op), "normalized_shape").has_value();
}

/// Elements of a norm's row: a gradient has as many elements as an argument, and each of these is made of sums of a row.
double termsOfRows(const inputs::Sample& sample) {
  if (!isNorm(sample.op)) return 1;
  int64_t most = 1;
  for (const ir::TensorType* type : inputs::tensorsOf(sample)) {
    const auto dims = inputs::combinedDims(sample, *type);
    if (!dims) continue;
    int64_t elements = 1;
    for (const int64_t dim : *dims) elements *= type->sizes[static_cast<size_t>(dim)];
    most = std::max(most, elements);
  }
  return static_cast<double>(most);
}

/// The numbers that results of the schema have among a call's outputs: results that it leaves undefined have none.
std::set<int> outputsAmong(const std::set<int>& results, runtime::Call& call) {
  if (results.empty()) return {};
  const std::vector<bool> defined = runtime::definedReturns(call.aten());
  std::set<int> outputs;
  int output = 0;
  for (size_t i = 0; i < defined.size(); ++i) {
    if (!defined[i]) continue;
    if (results.contains(static_cast<int>(i))) outputs.insert(output);
    ++output;
  }
  return outputs;
}

/// Whether a copy of tensors takes little memory beside what comparing them takes.
bool areSmall(const runtime::TensorList& tensors) {
  constexpr int64_t mostBytes = int64_t{1} << 28;
  int64_t bytes = 0;
  for (int i = 0; i < tensors.size(); ++i) bytes += tensors.type(i).bytesTouched();
  return bytes <= mostBytes;
}

}  // namespace

Criterion criterionOf(runtime::Workload& workload, const std::string& op, const Tolerances& tolerances) {
  if (!inputs::isRegion(op)) {
    Criterion criterion = tolerances.criterionFor(op);
    if (runtime::Call* call = workload.call()) {
      criterion.workspaces = outputsAmong(criterion.workspaces, *call);
      criterion.terms = std::max(criterion.terms, termsOfRows(call->aten().sample));
    }
    return criterion;
  }
  const ir::Graph graph = workload.graph({});
  std::vector<std::string> ops;
  double terms = 1;
  for (const ir::Node& node : graph.nodes) {
    ops.push_back(node.op);
    terms = std::max(terms, termsOf(graph, node));
  }
  Criterion criterion = tolerances.criterionFor(ops);
  criterion.terms = terms;
  return criterion;
}

void CorrectnessCheck::begin(uint64_t seed, const Data& data) {
  seed_ = seed;
  data_ = data;
  const bool isCall = !inputs::isNetwork(workload_.op());
  next_ = isCall ? setsAfter(data, workload_.turnsOfRows()) : std::vector{data};  // what saturates every gate shows nothing
  drawn_ = {seed, data};
  setReference();
  const std::string first = findTrivialSolution(reference_, workload_, criterion_, tolerances_);
  trivialSolution_ = first;
  if (data.distribution != Distribution::Normal || !isCall) return;  // as asked for, whatever it says
  const std::array<Data, 4> others{Data{data.distribution, 16 * data.scale}, Data{data.distribution, data.scale / 16},
                                   Data{Distribution::Positive, data.scale}, Data{Distribution::Levels, data.scale}};
  for (size_t i = 0; i < others.size() && !trivialSolution_.empty(); ++i) {
    data_ = others[i];
    draw(seed, data_);
    trivialSolution_ = findTrivialSolution(reference_, workload_, criterion_, tolerances_);
  }
  if (trivialSolution_.empty()) return;
  data_ = data;
  draw(seed, data);
  trivialSolution_ = first;
  if (const std::string why = runtime::whyConstant(workload_); !why.empty()) trivialSolution_ += ", whatever is drawn: " + why;
}

bool CorrectnessCheck::drawNext() {
  if (next_.empty()) return false;
  draw(otherSeed(seed_), next_.back());
  next_.pop_back();
  return true;
}

void CorrectnessCheck::drawUnforeseen() {
  isUnforeseen_ = true;
  draw(std::random_device()() & 0x7fffffffU, data_);
}

/// What networks were checked on last is what they are timed on.
void CorrectnessCheck::drawToTime() {
  if (drawn_ != std::pair(otherSeed(seed_), data_)) draw(otherSeed(seed_), data_);
}

void CorrectnessCheck::draw(uint64_t seed, const Data& data) {
  reference_ = {};
  drawn_ = {seed, data};
  {
    const TimedStage stage(stages::data);
    workload_.draw(seed, data);
  }
  setReference();
}

void CorrectnessCheck::setReference() {
  const TimedStage stage(stages::references);
  reference_ = makeReference(workload_);
  nearby_.clear();
  chance_.clear();
  right_.clear();
  sums_ = runtime::sumsOfRead(workload_);
}

std::string CorrectnessCheck::overwritten() const {
  const std::vector<int64_t> now = runtime::sumsOfRead(workload_);
  const auto changed = std::mismatch(sums_.begin(), sums_.end(), now.begin(), now.end()).first;
  if (changed == sums_.end()) return "";
  workload_.draw(drawn_.first, drawn_.second);
  return fmt::format("tensor {} of those that the operator only reads was written", changed - sums_.begin());
}

Verdict CorrectnessCheck::judge(runtime::Trial& trial) const {
  Verdict verdict = run(trial);
  if (!verdict.ok && drawn_.second.distribution != data_.distribution)
    verdict.message += fmt::format("; data {}", toText(drawn_.second));
  if (!verdict.ok && isUnforeseen_) verdict.message += fmt::format("; data of seed {}, which nobody could foresee", drawn_.first);
  return verdict;
}

Verdict CorrectnessCheck::run(runtime::Trial& trial) const {
  trial.reseed();
  if (drawsOthers(trial)) {
    Verdict verdict = judgedWithoutChance(trial);
    if (!verdict.ok) return verdict;
    Verdict byChance = judgedByChance(trial.run());
    return byChance.ok ? verdict : byChance;
  }
  if (criterion_.rule != Rule::Random) return judged(trial, trial.run());
  const runtime::TensorList first = runtime::clone(trial.run());
  const Verdict verdict = judged(trial, trial.outputs());
  if (!verdict.ok) return verdict;
  const auto draws = runtime::drawsOf(workload_.call()->aten(), first);
  const bool isSame = runtime::bitwiseEqual(first, trial.run());
  if (draws && isSame && mustDiffer(*draws)) return {false, "two runs drew the same random numbers", {}};
  return judged(trial, trial.outputs());
}

Verdict CorrectnessCheck::audit(runtime::Trial& trial, runtime::Measure measure, std::optional<int> capture) const {
  if (workload_.isRandom()) trial.reseed();
  const runtime::TensorList outputs = trial.audit(measure, capture);
  if (!outputs) return {};
  Verdict verdict = judgedOrByChance(trial, outputs);
  // A call in a sequence draws after the calls before it: other numbers than eager's.
  const bool mayDrawLater = measure == runtime::Measure::BackToBack && workload_.isRandom();
  return verdict.ok || !mayDrawLater ? verdict : judgedByChance(outputs);
}

Verdict CorrectnessCheck::judgedOrByChance(const runtime::Trial& trial, const runtime::TensorList& outputs) const {
  return drawsOthers(trial) ? judgedByChance(outputs) : judged(trial, outputs);
}

Verdict CorrectnessCheck::judgedWithoutChance(runtime::Trial& trial) const {
  Verdict verdict;
  if (trial.withEagersDraws) {
    trial.withEagersDraws([&](runtime::Trial& twin) {
      twin.reseed();
      verdict = judged(twin, twin.run());
    });
    return verdict;
  }
  workload_.setChance(false);
  verdict = judged(trial, trial.run());
  workload_.setChance(true);
  return verdict;
}

Verdict CorrectnessCheck::judgedByChance(const runtime::TensorList& outputs) const {
  const auto sizes = [this](const runtime::TensorList& run) { return sizesOf(runtime::without(run, criterion_.workspaces)); };
  const std::vector<double> found = sizes(outputs);  // before eager writes operands, which may be outputs
  while (chance_.size() < runsOfChance) chance_.push_back(sizes(workload_.runEagerAgain()));
  return judgeByChance(found, chance_, workload_);
}

void CorrectnessCheck::forget(runtime::Trial& trial) { runtime::poisonGuarded(trial.outputs()); }

Verdict CorrectnessCheck::judged(const runtime::Trial& trial, const runtime::TensorList& outputs) const {
  if (std::string inside = overwritten(); !inside.empty()) return {false, std::move(inside), {}};
  if (std::string outside = runtime::writtenOutside(outputs); !outside.empty()) return {false, std::move(outside), {}};
  const bool isNetwork = workload_.call() == nullptr;
  if (!isNetwork)
    if (std::string why = runtime::borrowed(outputs, reference_.eager, workload_.readOnly()); !why.empty())
      return {false, std::move(why), {}};
  Criterion criterion = criterion_;
  criterion.isTf32 = trial.arithmetic == "tf32";
  criterion.anyStrides |= trial.anyStrides;
  const auto isSame = [&](const Right& right) {
    return right.isTf32 == criterion.isTf32 && right.anyStrides == criterion.anyStrides &&
           runtime::bitwiseEqual(right.outputs, outputs);
  };
  if (const auto known = std::find_if(right_.begin(), right_.end(), isSame); known != right_.end()) return known->verdict;
  Verdict verdict = check(outputs, reference_, workload_, criterion, tolerances_);
  const bool isLastWord = verdict.ok || criterion.rule == Rule::Random;
  if (isLastWord && (!verdict.ok || !areSmall(outputs))) return verdict;
  const runtime::TensorList found = runtime::clone(outputs);  // which may be arguments, written in place
  if (!isLastWord) {
    workload_.restore();
    if (reference_.float64 || isNetwork) verdict = amongRuns(found, criterion, verdict);
    if (!verdict.ok) verdict = besideContiguous(found, criterion, std::move(verdict));
  }
  if (verdict.ok && areSmall(found)) keepRight({found, criterion.isTf32, criterion.anyStrides, verdict});
  return verdict;
}

void CorrectnessCheck::keepRight(Right right) const {
  constexpr size_t most = 4;
  if (right_.size() == most) right_.erase(right_.begin());
  right_.push_back(std::move(right));
}

/// The verdict on what seems wrong, by how far runs of eager are apart.
Verdict CorrectnessCheck::amongRuns(const runtime::TensorList& found, const Criterion& criterion, const Verdict& verdict) const {
  Reference reference = reference_;
  reference.again = differingRuns(workload_, reference_);
  if (nearby_.empty() && workload_.call() == nullptr) nearby_ = nearbyRuns(workload_);
  reference.nearby = nearby_;
  const bool areMore = !reference.again.empty() || !reference.nearby.empty();
  return areMore ? check(found, reference, workload_, criterion, tolerances_) : verdict;
}

/// The verdict on what seems wrong, by what eager makes of contiguous copies, where that is another result than the one for the
/// call's strides.
Verdict CorrectnessCheck::besideContiguous(const runtime::TensorList& found, const Criterion& criterion, Verdict verdict) const {
  runtime::EagerRuns runs = workload_.runEagerOnContiguous();
  if (!runs.eager || check(runs.eager, reference_, workload_, criterion, tolerances_).ok) return verdict;
  const Reference contiguous{std::move(runs.eager), std::move(runs.float64), reference_.mostArgumentElements};
  Verdict other = check(found, contiguous, workload_, criterion, tolerances_);
  other.doubt = "eager's result for these strides differs from its own for contiguous copies";
  if (!other.ok) other.message += "; " + other.doubt;
  return other;
}

std::optional<Determinism> CorrectnessCheck::determinism(runtime::Trial& trial) const {
  if (criterion_.rule == Rule::TypeOnly || criterion_.mayVary) return std::nullopt;
  const auto isRight = [&](const runtime::TensorList& outputs) { return judgedOrByChance(trial, outputs).ok; };
  trial.reseed();
  const runtime::TensorList first = runtime::clone(trial.run());
  trial.reseed();
  const runtime::TensorList second = trial.run();
  if (runtime::bitwiseEqual(runtime::without(first, criterion_.workspaces), runtime::without(second, criterion_.workspaces)))
    return Determinism::Bitwise;
  return isRight(second) && isRight(first) ? Determinism::WithinTolerance : Determinism::Neither;
}

}  // namespace opbench
