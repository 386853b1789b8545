#include "opbench/results/contenders.h"

#include <algorithm>

#include "inputs/operator_name.h"
#include "runtime/network/creators.h"
#include "runtime/own/cudnn.h"

namespace opbench {

std::vector<std::string_view> namesOf(const std::vector<Contender>& contenders) {
  std::vector<std::string_view> names;
  for (const Contender& contender : contenders) names.push_back(name(contender));
  return names;
}

std::optional<Contender> contenderFromName(std::string_view text) {
  constexpr size_t longest = 80;
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.";
  if (text.empty() || text.size() > longest || text.find_first_not_of(letters) != std::string_view::npos) return std::nullopt;
  return Contender(std::string(text));
}

std::vector<std::string> contenderNames() {
  return {Contender::Eager.name(), Contender::Opbench.name(), Contender::Inductor.name(), Contender::Torchscript.name(),
          runtime::cudnnNamespace};
}

bool isKnown(const Contender& contender) {
  const std::vector<std::string> ofCalls = contenderNames();
  return std::find(ofCalls.begin(), ofCalls.end(), contender.name()) != ofCalls.end() || contender.name() == "graph" ||
         (contender.isOwn() && contenderFromName(contender.name())) || runtime::creatorOf(contender.name()) != nullptr;
}

bool isNamespace(const Contender& contender) {
  return !isKnown(contender) && contenderFromName(contender.name()) && contender.name().find_first_of(":.") == std::string::npos;
}

std::vector<Contender> contendersOf(std::string_view op, const std::vector<Contender>& asked) {
  const bool isNetwork = inputs::isNetwork(op);
  std::vector<Contender> all =
      isNetwork ? runtime::contendersOf(op, false) : std::vector{Contender::Eager, Contender::Opbench, Contender::Inductor};
  if (inputs::isCall(op)) all.insert(all.end(), {Contender::Torchscript, Contender(runtime::cudnnNamespace)});
  // What a run of calls takes that names nobody: recurrent networks have no eager, and then nobody was named for them.
  const bool areNamed =
      inputs::kindOf(op) != inputs::SampleKind::Recurrent || asked != std::vector{Contender::Eager, Contender::Opbench};
  std::vector<Contender> chosen;
  for (const Contender& contender : areNamed ? asked : std::vector<Contender>())
    if ((inputs::isCall(op) && (contender.isOwn() || isNamespace(contender))) ||
        std::find(all.begin(), all.end(), contender) != all.end())
      chosen.push_back(contender);
  if (!chosen.empty()) return chosen;
  return isNetwork ? runtime::contendersOf(op, true) : std::vector{Contender::Eager, Contender::Opbench};
}

}  // namespace opbench
