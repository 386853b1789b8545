#include "opbench/run/contenders.h"

namespace opbench {

std::vector<std::string_view> namesOf(const std::vector<Contender>& contenders) {
  std::vector<std::string_view> names;
  for (const Contender& contender : contenders) names.push_back(name(contender));
  return names;
}

std::optional<Contender> contenderFromName(std::string_view text) {
  constexpr size_t longest = 40;
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (text.empty() || text.size() > longest || text.find_first_not_of(letters) != std::string_view::npos) return std::nullopt;
  return Contender(std::string(text));
}

std::vector<std::string> contenderNames() {
  return {Contender::Eager.name(), Contender::Opbench.name(), Contender::Torchscript.name()};
}

}  // namespace opbench
