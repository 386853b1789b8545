#include "ir/graph.h"

#include <array>

namespace ir {
namespace {

constexpr std::array<std::string_view, 5> roles{"in", "parameter", "buffer", "state", "constant"};

}  // namespace

std::string_view name(Role role) { return roles[static_cast<size_t>(role)]; }

std::optional<Role> roleFromName(std::string_view name) {
  for (size_t i = 0; i < roles.size(); ++i)
    if (roles[i] == name) return static_cast<Role>(i);
  return std::nullopt;
}

const Argument* Node::find(const std::string& name) const {
  for (const NamedArgument& arg : args)
    if (arg.name == name) return &arg.value;
  return nullptr;
}

}  // namespace ir
