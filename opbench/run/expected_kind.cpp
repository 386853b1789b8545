#include "opbench/run/expected_kind.h"

#include <algorithm>
#include <cctype>
#include <exception>
#include <map>

#include "codegen/compile.h"
#include "lowering/tensor/lowering.h"
#include "opbench/run/brief.h"
#include "runtime/torch/call.h"

namespace opbench {
namespace {

using inputs::Sample;
using runtime::Kind;

/// Whether sizes or strides begin at a bracket: `f16[`, `](`.
bool beginsTensor(const std::string& text, size_t at) {
  if (at == 0) return false;
  const char before = text[at - 1];
  return (text[at] == '[' && std::isalnum(static_cast<unsigned char>(before)) != 0) || (text[at] == '(' && before == ']');
}

/// `f16[2,3,1], dim=2` as `f16[#,#,1], dim=2`: the sizes 0 and 1 have a meaning of their own, in which dimensions are empty or
/// broadcast.
std::string formOf(const Sample& sample) {
  const std::string text = brief(sample);
  std::string form = sample.op + " ";
  bool isInside = false;
  for (size_t i = 0; i < text.size();) {
    if (beginsTensor(text, i)) isInside = true;
    if (text[i] == ']' || text[i] == ')') isInside = false;
    size_t end = i;
    while (isInside && end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    const std::string number = text.substr(i, end - i);
    form += end == i ? text.substr(i, 1) : number == "0" || number == "1" ? number : "#";
    i = std::max(end, i + 1);
  }
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
    if (runtime::isViewByRule(sample)) {
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
