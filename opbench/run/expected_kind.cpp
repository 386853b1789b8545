#include "opbench/run/expected_kind.h"

#include <algorithm>
#include <exception>
#include <map>

#include "codegen/compile.h"
#include "inputs/operator_name.h"
#include "inputs/region.h"
#include "lowering/tensor/lowering.h"
#include "opbench/results/brief.h"
#include "runtime/torch/infer.h"

namespace opbench {
namespace {

using inputs::Sample;
using runtime::Kind;

/// The sizes 0 and 1 have a meaning of their own, in which dimensions are empty or broadcast; all others are alike.
std::string formOf(const std::vector<int64_t>& numbers) {
  std::string form;
  for (const int64_t number : numbers) form += number == 0 ? "0," : number == 1 ? "1," : "#,";
  return form;
}

void dropSizes(ir::Argument& argument) {
  if (auto* list = std::get_if<ir::List>(&argument.data))
    for (ir::Argument& item : list->items) dropSizes(item);
  if (auto* type = std::get_if<ir::TensorType>(&argument.data)) *type = ir::TensorType::contiguous(type->dtype, {});
}

/// The sample without the sizes of its tensors, and the forms of these: `f16[], dim=2 [#,#,1,]`.
std::string formOf(const Sample& sample) {
  Sample shapeless = sample;
  for (ir::Argument& argument : shapeless.args) dropSizes(argument);
  for (ir::NamedArgument& named : shapeless.kwargs) dropSizes(named.value);
  std::string form = sample.op + " " + brief(shapeless);
  for (const ir::TensorType* type : inputs::tensorsOf(sample))
    form += " [" + formOf(type->sizes) + "]" + (type->isContiguous() ? "" : "(" + formOf(type->strides) + ")");
  return form;
}

ExpectedKind kindOf(const std::optional<ir::Graph>& graph, const ir::Target& target) {
  if (!graph) return {std::nullopt, "not known without a device"};
  try {
    const std::string why = codegen::whyFallback(*graph, target);
    return {why.empty() ? Kind::Generated : Kind::Fallback, why};
  } catch (const std::exception& error) {
    return {std::nullopt, error.what()};
  }
}

ExpectedKind kindOfRegion(const ir::Graph& graph, const ir::Target& target) {
  try {
    const std::vector<codegen::Part> parts = codegen::partsOf(graph, target);
    const auto isGenerated = [](const codegen::Part& part) { return part.isGenerated; };
    if (std::none_of(parts.begin(), parts.end(), isGenerated)) return {std::nullopt, parts.front().reason};
    return {Kind::Generated, codegen::summaryOf(parts)};
  } catch (const std::exception& error) {
    return {std::nullopt, error.what()};
  }
}

/// The kinds of the samples whose results ATen has no rule for, by their forms.
class ByForm {
 public:
  explicit ByForm(const ir::Target& target) : target_(target) {}

  void add(const Sample& sample) {
    const Sample*& smallest = smallest_[formOf(sample)];
    if (smallest == nullptr || inputs::argumentBytes(sample) < inputs::argumentBytes(*smallest)) smallest = &sample;
  }
  ExpectedKind operator()(const Sample& sample) {
    const Sample* smallest = smallest_.at(formOf(sample));
    const auto found = kinds_.find(smallest);
    if (found != kinds_.end()) return found->second;
    return kinds_[smallest] = kindOf(runtime::inferGraph(*smallest, target_.backend), target_);
  }

 private:
  const ir::Target& target_;
  std::map<std::string, const Sample*> smallest_;
  std::map<const Sample*, ExpectedKind> kinds_;
};

}  // namespace

std::vector<ExpectedKind> expectedKinds(const std::vector<Sample>& samples, const ir::Target& target) {
  std::vector<ExpectedKind> kinds(samples.size());
  std::vector<size_t> withoutRule;
  ByForm byForm(target);
  for (size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    if (inputs::isNetwork(sample.op)) {
      kinds[i] = {std::nullopt, "a network, raced as its contenders"};
    } else if (inputs::isRegion(sample.op)) {
      kinds[i] = kindOfRegion(inputs::regionOf(sample), target);
    } else if (runtime::isViewByRule(sample)) {
      kinds[i] = {Kind::View, ""};
    } else if (!lowering::hasLowering(sample.op)) {
      kinds[i] = {Kind::Fallback, "no lowering"};
    } else if (const auto graph = runtime::graphByRule(sample)) {
      kinds[i] = kindOf(graph, target);
    } else {
      byForm.add(sample);
      withoutRule.push_back(i);
    }
  }
  for (const size_t i : withoutRule) kinds[i] = byForm(samples[i]);
  return kinds;
}

}  // namespace opbench
