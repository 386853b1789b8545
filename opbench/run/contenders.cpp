#include "opbench/run/contenders.h"

#include <array>

namespace opbench {
namespace {

constexpr std::array all = {Contender::Eager, Contender::Opbench, Contender::Torchscript};

}  // namespace

std::string_view name(Contender contender) {
  switch (contender) {
    case Contender::Eager: return "eager";
    case Contender::Opbench: return "opbench";
    case Contender::Torchscript: return "torchscript";
  }
  return "";
}

std::optional<Contender> contenderFromName(std::string_view text) {
  for (Contender contender : all)
    if (name(contender) == text) return contender;
  return std::nullopt;
}

std::vector<std::string> contenderNames() {
  std::vector<std::string> names;
  for (Contender contender : all) names.emplace_back(name(contender));
  return names;
}

}  // namespace opbench
