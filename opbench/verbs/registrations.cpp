#include "opbench/verbs/registrations.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/error.h"
#include "opbench/select/select.h"
#include "opbench/text/nearest.h"
#include "opbench/text/patterns.h"

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

std::string loweringsText(const std::vector<std::string>& patterns, const std::vector<lowering::Registration>& registrations,
                          const std::vector<std::string>& operators) {
  std::string text;
  for (const std::string& op : operators) {
    if (op.ends_with("out")) continue;  // the forms that write to given tensors; samples have none
    if (std::none_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return matches(op, pattern); }))
      continue;
    std::string place = lowering::hasLowering(op) ? "lowered" : "no lowering: ATen computes it";
    std::set<std::string> names;
    addNames(op, names);
    if (const size_t inPlace = op.find("_."); inPlace != std::string::npos) addNames(std::string(op).erase(inPlace, 1), names);
    for (const lowering::Registration& each : registrations)
      if (names.contains(each.name)) place = "lowered in " + each.place;
    text += fmt::format("{}: {}; no sample of it in the files read\n", op, place);
  }
  return text;
}

}  // namespace opbench
