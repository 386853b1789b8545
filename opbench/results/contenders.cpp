#include "opbench/results/contenders.h"

#include <algorithm>

#include "inputs/operator_name.h"
#include "runtime/known_contenders.h"

namespace opbench {
namespace {

void addOnce(Contender contender, std::vector<Contender>& contenders) {
  if (std::find(contenders.begin(), contenders.end(), contender) == contenders.end()) contenders.push_back(std::move(contender));
}

}  // namespace

std::vector<std::string_view> namesOf(const std::vector<Contender>& contenders) {
  std::vector<std::string_view> names;
  for (const Contender& contender : contenders) names.push_back(name(contender));
  return names;
}

std::optional<Contender> contenderFromName(std::string_view text) {
  constexpr size_t longest = 80;
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.@";
  if (text.empty() || text.size() > longest || text.find_first_not_of(letters) != std::string_view::npos) return std::nullopt;
  return Contender(std::string(text));
}

std::vector<std::string> contenderNames() {
  std::vector<std::string> names;
  for (const Contender& contender : runtime::contendersOf("aten", false)) names.push_back(contender.name());
  return names;
}

bool isKnown(const Contender& contender) {
  const auto known = runtime::knownContenders();
  return (contender.isOwn() && contenderFromName(contender.name())) ||
         std::any_of(known.begin(), known.end(), [&](const auto& each) { return each.name == contender.name(); });
}

bool isNamespace(const Contender& contender) {
  return !isKnown(contender) && contenderFromName(contender.name()) && contender.name().find_first_of(":.@") == std::string::npos;
}

bool computes(const Contender& contender, std::string_view op) {
  if (!contender.target().empty()) return contender.target() == op;
  const inputs::SampleKind kind = inputs::kindOf(op);
  if (contender.isOwn()) return kind == inputs::SampleKind::Call || kind == inputs::SampleKind::Region;
  if (isNamespace(contender)) return kind == inputs::SampleKind::Call;
  const std::vector<Contender> all = runtime::contendersOf(op, false);
  return std::find(all.begin(), all.end(), contender) != all.end();
}

std::vector<Contender> contendersOf(std::string_view op, const std::vector<Contender>& asked) {
  // What a run of calls takes that names nobody: recurrent networks have no eager, and then nobody was named for them.
  const bool areNamed =
      inputs::kindOf(op) != inputs::SampleKind::Recurrent || asked != std::vector{Contender::Eager, Contender::Opbench};
  std::vector<Contender> chosen;
  for (const Contender& contender : areNamed ? asked : std::vector<Contender>())
    if (computes(contender, op)) addOnce(contender.untargeted(), chosen);
  return chosen.empty() ? runtime::contendersOf(op, true) : chosen;
}

std::vector<Contender> contendersOfCalls(const std::vector<Contender>& asked) {
  std::vector<Contender> untargeted;
  for (const Contender& contender : asked) addOnce(contender.untargeted(), untargeted);
  return contendersOf(inputs::callableNamespace, untargeted);
}

}  // namespace opbench
