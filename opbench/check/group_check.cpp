#include "opbench/check/group_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "inputs/operators/facts.h"
#include "opbench/check/correctness_check.h"
#include "opbench/check/reference.h"
#include "runtime/compare/oracle.h"
#include "runtime/contenders/plan/planned.h"

namespace opbench {
namespace {

/// Judges each group of a run, until one is wrong.
class GroupJudge : public runtime::GroupObserver {
 public:
  GroupJudge(const codegen::Plan& plan, const Tolerances& tolerances) : plan_(plan), tolerances_(tolerances) {}

  void begin(const codegen::Instance& instance, runtime::Workload& group) override {
    instance_ = &instance;
    group_ = &group;
    reference_ = makeReference(group);
    sums_ = runtime::sumsOfRead(group);
  }

  runtime::TensorList end(const runtime::TensorList& found) override {
    const std::string why = whyWrong(found);
    if (why.empty()) return reference_.eager;
    const auto isOfGroup = [this](const codegen::Instance& other) { return other.group == instance_->group; };
    const codegen::Instance* first = plan_.instances.data();
    const auto times = std::count_if(first, first + plan_.instances.size(), isOfGroup);
    wrong = WrongGroup{instance_->group, times,
                       fmt::format("{}, time {} of {}: {}", codegen::groupName(plan_, instance_->group),
                                   std::count_if(first, instance_, isOfGroup) + 1, times, why)};
    return {};
  }

  std::optional<WrongGroup> wrong;

 private:
  /// Whether a call of the group may put equal elements in any order, which no comparison of the group alone can judge.
  bool sortsInAnyOrder() const {
    const std::vector<ir::Node>& calls = plan_.groups[static_cast<size_t>(instance_->group)].graph.nodes;
    return std::any_of(calls.begin(), calls.end(),
                       [](const ir::Node& call) { return inputs::judgementOf(call.op).sortsInAnyOrder(); });
  }

  std::string whyWrong(const runtime::TensorList& found) {
    if (runtime::sumsOfRead(*group_) != sums_) return "it writes a tensor that its calls only read";
    if (sortsInAnyOrder()) return "";
    Criterion criterion = criterionOf(*group_, group_->op(), tolerances_);
    criterion.anyStrides = true;  // rows of a plan have gaps where its products want them
    const Verdict verdict = check(found, reference_, *group_, criterion, tolerances_);
    if (verdict.ok || !reference_.float64) return verdict.message;
    reference_.again = differingRuns(*group_, reference_);
    return reference_.again.empty() ? verdict.message : check(found, reference_, *group_, criterion, tolerances_).message;
  }

  const codegen::Plan& plan_;
  const Tolerances& tolerances_;
  const codegen::Instance* instance_ = nullptr;
  runtime::Workload* group_ = nullptr;
  Reference reference_;
  std::vector<int64_t> sums_;  ///< checksums of the tensors that the group only reads
};

}  // namespace

std::optional<WrongGroup> findWrongGroup(runtime::Workload& workload, const codegen::Plan& plan,
                                         const runtime::TensorList& constants, runtime::Device& device,
                                         const runtime::Cache& cache, const Tolerances& tolerances) {
  runtime::PlannedCallable planned(workload, plan, constants, device, cache);
  GroupJudge judge(plan, tolerances);
  workload.restore();
  planned.reseed();
  planned.run(plan, judge);
  workload.restore();
  return judge.wrong;
}

ir::Graph regionOf(const codegen::Plan& group) {
  ir::Graph graph = group.graph;
  for (const int input : graph.inputs) {
    ir::GraphValue& value = graph.values[static_cast<size_t>(input)];
    if (value.offset == 0) continue;  // how far it lies behind a multiple of an alignment
    value.storage = -1;
    value.offset = 0;
  }
  return ir::numbered(std::move(graph));
}

}  // namespace opbench
