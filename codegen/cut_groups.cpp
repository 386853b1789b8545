#include "codegen/cut_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "codegen/generate.h"
#include "ir/error.h"
#include "ir/parallel.h"
#include "ir/text/text.h"
#include "lowering/partition/places.h"

namespace codegen {

using lowering::Cost;
using lowering::Cut;
using lowering::Group;

namespace {

constexpr std::string_view recomputes = "together they compute again what takes less to store";

}  // namespace

std::vector<Group> GroupCutter::cut(const Group& group) {
  candidates_.clear();
  refused_.clear();
  std::vector<Group> groups;
  add(group.nodes, group.reason, groups);
  return groups;
}

std::vector<Group> GroupCutter::cut(std::vector<Group> groups) const {
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Groups of many calls take longest; begun first, none of them is left over at the end.
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return groups[a].nodes.size() > groups[b].nodes.size(); });
  std::vector<std::vector<Group>> parts(groups.size());
  ir::inParallel(order.size(), [&](size_t i) {
    const Group& group = groups[order[i]];
    if (group.isGenerated) parts[order[i]] = GroupCutter(*this).cut(group);
  });
  std::vector<Group> all;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (!groups[i].isGenerated) parts[i].push_back(std::move(groups[i]));
    std::move(parts[i].begin(), parts[i].end(), std::back_inserter(all));
  }
  return all;
}

std::vector<Group> GroupCutter::cutAll() {
  Group all;
  for (size_t i = 0; i < graph_.nodes.size(); ++i)
    if (!flow_[static_cast<int>(i)].isView) all.nodes.push_back(static_cast<int>(i));
  const Verdict& verdict = judged(graph_);
  std::string why = verdict.why.empty() ? whyLosing(all.nodes, verdict.cost) : verdict.why;
  if (why.empty() && cheaperCut(all.nodes, verdict.cost)) why = recomputes;
  if (why.empty()) {
    all.graph = graph_;
    all.values.resize(graph_.values.size());
    std::iota(all.values.begin(), all.values.end(), 0);
    return {all};
  }
  const auto isGenerated = [&](const ir::Graph& call, const ir::Node&) { return whyRefused(call).empty(); };
  std::vector<Group> groups;
  for (Group& group : lowering::partition(graph_, flow_, isGenerated)) {
    const std::string& alone = candidateOf({group.nodes.front()}).why;
    if (!group.isGenerated)
      group.reason = alone.empty() ? "writes memory that has other names" : alone;
    else if (!groups.empty())
      group.reason = why;
    const std::vector<Group> parts = group.isGenerated ? cut(group) : std::vector{group};
    groups.insert(groups.end(), parts.begin(), parts.end());
  }
  return groups;
}

const GroupCutter::Verdict& GroupCutter::judged(const ir::Graph& graph) const {
  const auto entryOf = [&](const std::string& text) -> Verdicts::Entry& {
    const std::lock_guard guard(verdicts_->adding);
    return verdicts_->all[text];
  };
  Verdicts::Entry& entry = entryOf(ir::toText(graph));
  std::call_once(entry.once, [&] {
    Verdict verdict;
    verdict.why = whyNot(graph, [&] { verdict.cost = lowering::costOf(nestsOf(graph, target_), target_); });
    entry.verdict = std::move(verdict);
  });
  return entry.verdict;
}

void GroupCutter::foresee(const std::vector<Cut>& cuts) {
  std::set<std::vector<int>> unknown;
  for (const Cut& cut : cuts)
    for (const std::vector<int>* side : {&cut.first, &cut.second})
      if (!candidates_.contains(*side)) unknown.insert(*side);
  const std::vector<std::vector<int>> all(unknown.begin(), unknown.end());
  std::vector<std::optional<Candidate>> found(all.size());
  ir::inParallel(all.size(), [&](size_t i) { found[i] = made(all[i]); });
  for (size_t i = 0; i < all.size(); ++i) candidates_.emplace(all[i], *std::move(found[i]));
}

const GroupCutter::Candidate& GroupCutter::candidateOf(const std::vector<int>& calls) {
  const auto known = candidates_.find(calls);
  return known != candidates_.end() ? known->second : candidates_.emplace(calls, made(calls)).first->second;
}

GroupCutter::Candidate GroupCutter::made(const std::vector<int>& calls) {
  Candidate made{{calls}, "", {}};
  try {
    made.group = lowering::groupOf(graph_, flow_, calls);
    if (made.group.graph.outputs.empty()) return made;
    std::optional<ir::Graph> placed = lowering::withPlaces(made.group, graph_, target_.parameterBytes());
    if (!placed) ir::fail(ir::ErrorKind::Unsupported, "inputs share memory, in which they lie at odd places");
    made.group.graph = *std::move(placed);
  } catch (const ir::Error& error) {
    if (error.kind() != ir::ErrorKind::Unsupported) throw;
    made.why = error.what();
    return made;
  }
  const Verdict& verdict = judged(made.group.graph);
  made.why = verdict.why;
  made.cost = verdict.cost;
  if (made.why.empty() && calls.size() > 1) made.why = whyLosing(calls, made.cost);
  return made;
}

std::optional<Cost> GroupCutter::costApart(const std::vector<int>& calls) {
  Cost apart;
  for (const int call : calls) {
    const Candidate& alone = candidateOf({call});
    if (!alone.why.empty()) return std::nullopt;
    apart += alone.cost;
  }
  return apart;
}

std::string GroupCutter::whyLosing(const std::vector<int>& calls, const Cost& cost) {
  const std::optional<Cost> apart = costApart(calls);
  if (!apart || cost.time <= apart->time) return "";
  return fmt::format("together they move {:.3g} bytes and take {:.3g} operations, one by one {:.3g} and {:.3g}", cost.bytes,
                     cost.operations, apart->bytes, apart->operations);
}

std::optional<Cut> GroupCutter::cheaperCut(const std::vector<int>& calls, const Cost& cost) {
  const std::optional<Cost> apart = costApart(calls);
  if (!apart || cost.operations <= apart->operations) return std::nullopt;
  std::optional<Cut> best;
  double least = cost.time;
  std::vector<Cut> cuts = lowering::cutsOf(graph_, flow_, calls);
  foresee(cuts);
  for (Cut& cut : cuts) {
    if (!isTaken(cut.first) || !isTaken(cut.second)) continue;
    const double time = candidateOf(cut.first).cost.time + candidateOf(cut.second).cost.time;
    if (time >= least) continue;
    least = time;
    best = std::move(cut);
  }
  return best;
}

bool GroupCutter::isTaken(const std::vector<int>& calls) {
  // What refuses some calls refuses more of them, too.
  const auto isAmong = [&](const std::vector<int>& refused) {
    return std::includes(calls.begin(), calls.end(), refused.begin(), refused.end());
  };
  if (std::any_of(refused_.begin(), refused_.end(), isAmong)) return false;
  if (candidateOf(calls).why.empty()) return true;
  refused_.push_back(calls);
  return false;
}

Cut GroupCutter::cutOf(const std::vector<int>& calls) {
  const std::vector<Cut> cuts = lowering::cutsOf(graph_, flow_, calls);
  const Cut* best = &cuts.front();
  size_t most = 0;  // calls on a side that is taken
  for (const Cut& cut : cuts) {
    const bool isFirst = isTaken(cut.first), isSecond = isTaken(cut.second);
    if (isFirst && isSecond) return cut;
    const size_t taken = std::max(isFirst ? cut.first.size() : 0, isSecond ? cut.second.size() : 0);
    if (taken <= most) continue;
    most = taken;
    best = &cut;
  }
  return *best;
}

void GroupCutter::add(const std::vector<int>& calls, const std::string& why, std::vector<Group>& groups) {
  const Candidate& candidate = candidateOf(calls);
  if (candidate.why.empty()) {
    if (candidate.group.graph.outputs.empty()) return;
    if (const std::optional<Cut> cut = cheaperCut(calls, candidate.cost)) {
      add(cut->first, why, groups);
      return add(cut->second, std::string(recomputes), groups);
    }
    groups.push_back(candidate.group);
    groups.back().reason = why;
    return;
  }
  if (calls.size() == 1) {
    groups.push_back({calls, false, candidate.why, {}, {}});
    return;
  }
  const Cut cut = cutOf(calls);
  add(cut.first, why, groups);
  add(cut.second, candidate.why, groups);
}

}  // namespace codegen
