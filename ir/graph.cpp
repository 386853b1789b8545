#include "ir/graph.h"

namespace ir {

const Argument* Node::find(const std::string& name) const {
  for (const NamedArgument& arg : args)
    if (arg.name == name) return &arg.value;
  return nullptr;
}

}  // namespace ir
