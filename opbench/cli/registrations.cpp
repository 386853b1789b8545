#include "opbench/cli/registrations.h"

#include <fmt/format.h>

#include <set>

#include "ir/error.h"
#include "opbench/cli/nearest.h"

namespace opbench {
namespace {

/// The names that a lowering may have for an operator: `aten::add` and `aten::add.Tensor` of `aten.add.Tensor`.
void addNames(const std::string& op, std::set<std::string>& names) {
  const size_t packet = op.find('.'), overload = op.rfind('.');
  if (packet == std::string::npos || packet == overload) return;
  const std::string name = op.substr(0, packet) + "::" + op.substr(packet + 1, overload - packet - 1);
  names.insert(name);
  names.insert(name + op.substr(overload));
}

}  // namespace

void checkRegistrations(const std::vector<lowering::Registration>& registrations, const std::vector<std::string>& operators) {
  std::set<std::string> known;
  for (const std::string& op : operators) addNames(op, known);
  std::string problems;
  const lowering::Registration* before = nullptr;
  for (const lowering::Registration& each : registrations) {
    std::string problem;
    if (before != nullptr && before->name == each.name)
      problem = fmt::format("{} has a lowering already, at {}: remove one of them", each.name, before->place);
    else if (!known.contains(each.name))
      problem = fmt::format("ATen has no operator {}{}", each.name, suggestion(nearest(each.name, {known.begin(), known.end()})));
    if (!problem.empty()) problems += fmt::format("{}{}: {}", problems.empty() ? "" : "\n", each.place, problem);
    before = &each;
  }
  if (!problems.empty()) ir::fail(ir::ErrorKind::Internal, "{}", problems);
}

}  // namespace opbench
