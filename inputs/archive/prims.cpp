#include "inputs/archive/prims.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace inputs {
namespace {

using Node = ExportedProgram::Node;
using Argument = ExportedProgram::Argument;

/// An operator, what ATen calls it, and the names of its arguments there, in their order.
struct Prim {
  std::string_view op, aten;
  std::initializer_list<const char*> names;
};
constexpr std::string_view iota = "prims.iota.default";
const Prim table[] = {{"prims.convert_element_type.default", "aten._to_copy.default", {"self", "dtype"}},
                      {"prims.fma.default", "aten.addcmul.default", {"tensor1", "tensor2", "self"}},
                      {"prims.view_of.default", "aten.alias.default", {"self"}}};

/// `iota(length, start=, step=)` as `arange(start, end, step)`, whose end is known if the length is.
std::string replaceIota(Node& node) {
  const auto take = [&](const char* name) -> std::optional<Argument> {
    const auto found =
        std::find_if(node.arguments.begin(), node.arguments.end(), [&](const auto& one) { return one.name == name; });
    if (found == node.arguments.end()) return std::nullopt;
    Argument value = std::move(found->value);
    node.arguments.erase(found);
    return value;
  };
  const std::optional<Argument> length = take("length"), start = take("start"), step = take("step");
  take("requires_grad");
  if (!length || !start || !step || start->kind != Argument::Kind::Int || step->kind != Argument::Kind::Int)
    return "prims.iota.default has other arguments than a length, and a start and a step that are numbers";
  const bool isPlain = start->integer == 0 && step->integer == 1;
  Argument end = isPlain ? *length : *start;
  if (!isPlain && (length->kind != Argument::Kind::Int || __builtin_mul_overflow(length->integer, step->integer, &end.integer) ||
                   __builtin_add_overflow(end.integer, start->integer, &end.integer)))
    return "prims.iota.default has a length that is not known, or is too large, with another step than 1";
  node.target = "torch.ops.aten.arange.start_step";
  node.arguments.insert(node.arguments.begin(), {{"start", *start}, {"end", end}, {"step", *step}});
  return "";
}

}  // namespace

bool isPrimOfAten(std::string_view op) {
  return op == iota || std::any_of(std::begin(table), std::end(table), [&](const Prim& prim) { return prim.op == op; });
}

std::string replacePrim(Node& node) {
  const std::string op = node.op();
  if (op == iota) return replaceIota(node);
  const auto prim = std::find_if(std::begin(table), std::end(table), [&](const Prim& one) { return one.op == op; });
  if (prim == std::end(table)) return "";
  if (node.arguments.size() != prim->names.size()) return op + " has another number of arguments";
  node.target = "torch.ops." + std::string(prim->aten);
  size_t number = 0;
  for (const char* name : prim->names) node.arguments[number++].name = name;
  return "";
}

}  // namespace inputs
