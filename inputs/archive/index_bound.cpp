#include "inputs/archive/index_bound.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace inputs {
namespace {

using Argument = ExportedProgram::Argument;
using Kind = Argument::Kind;

/// An operator that looks integers up in a dimension of another tensor.
struct Lookup {
  std::string_view packet;     ///< `aten.embedding.`
  std::string_view indices;    ///< its argument of integers
  std::string_view table;      ///< its argument that they index
  std::string_view dimension;  ///< its argument that says which dimension; empty: `first`
  int64_t first = 0;
};
constexpr Lookup lookups[] = {
    {"aten.embedding.", "indices", "weight", ""},
    {"aten.embedding_bag.", "indices", "weight", ""},
    {"aten.gather.", "index", "self", "dim"},
    {"aten.index_select.", "index", "self", "dim"},
    {"aten.scatter.", "index", "self", "dim"},
    {"aten.scatter_add.", "index", "self", "dim"},
    {"aten.cross_entropy_loss.", "target", "self", "", 1},
    {"aten.nll_loss.", "target", "self", "", 1},
    {"aten.nll_loss_nd.", "target", "self", "", 1},
};

/// Operators whose result has no other elements than their first argument.
constexpr std::string_view sameElements[] = {
    "aten.view.",         "aten.reshape.",         "aten.expand.",    "aten.slice.",      "aten.to.",
    "aten._to_copy.",     "aten.contiguous.",      "aten.clone.",     "aten.alias.",      "aten.unsqueeze.",
    "aten.squeeze.",      "aten.select.",          "aten.permute.",   "aten.t.",          "aten.transpose.",
    "aten.detach.",       "aten.flatten.",         "aten.unflatten.", "aten.repeat.",     "aten.long.",
    "aten.int.",          "aten.narrow.",          "aten.split.",     "aten.chunk.",      "aten.unbind.",
    "aten._unsafe_view.", "aten.expand_as.",       "aten.view_as.",   "aten.reshape_as.", "aten.flip.",
    "aten.roll.",         "aten.lift_fresh_copy.",
};

const Argument* argumentOf(const ExportedProgram::Node& node, std::string_view name) {
  for (const ExportedProgram::NamedArgument& argument : node.arguments)
    if (argument.name == name) return &argument.value;
  return nullptr;
}

bool isAny(const Argument* argument, const std::set<int>& values) {
  return argument != nullptr && argument->kind == Kind::Value && values.contains(static_cast<int>(argument->integer));
}

/// A fixed extent of a tensor; nothing where it is open or not known. A dimension may count from the back.
std::optional<int64_t> fixedExtent(const ExportedProgram& program, const Argument* tensor, int64_t dimension) {
  if (tensor == nullptr || tensor->kind != Kind::Value) return std::nullopt;
  const auto& meta = program.values[static_cast<size_t>(tensor->integer)].meta;
  if (!meta) return std::nullopt;
  const auto rank = static_cast<int64_t>(meta->sizes.size());
  if (dimension < 0) dimension += rank;
  if (dimension < 0 || dimension >= rank) return std::nullopt;
  const ExportedProgram::Extent& extent = meta->sizes[static_cast<size_t>(dimension)];
  if (extent.symbol >= 0 || extent.extent <= 0) return std::nullopt;
  return extent.extent;
}

void lower(std::optional<int64_t>& bound, std::optional<int64_t> other) {
  if (other && (!bound || *other < *bound)) bound = other;
}

void addValues(const std::vector<Argument>& outputs, std::set<int>& values) {
  for (const Argument& output : outputs) {
    if (output.kind == Kind::Value) values.insert(static_cast<int>(output.integer));
    addValues(output.items, values);
  }
}

}  // namespace

std::optional<int64_t> indexBound(const ExportedProgram& program, int value) {
  constexpr std::string_view operators = "torch.ops.";
  std::set<int> followed{value};
  std::optional<int64_t> bound;
  for (const ExportedProgram::Node& node : program.nodes) {
    if (!node.target.starts_with(operators)) continue;
    const std::string_view op = std::string_view(node.target).substr(operators.size());
    for (const Lookup& lookup : lookups) {
      if (!op.starts_with(lookup.packet) || !isAny(argumentOf(node, lookup.indices), followed)) continue;
      const Argument* dimension = lookup.dimension.empty() ? nullptr : argumentOf(node, lookup.dimension);
      if (!lookup.dimension.empty() && (dimension == nullptr || dimension->kind != Kind::Int)) continue;
      lower(bound,
            fixedExtent(program, argumentOf(node, lookup.table), dimension == nullptr ? lookup.first : dimension->integer));
    }
    const Argument* indices = op.starts_with("aten.index.") ? argumentOf(node, "indices") : nullptr;
    for (size_t i = 0; indices != nullptr && i < indices->items.size(); ++i)
      if (isAny(&indices->items[i], followed))
        lower(bound, fixedExtent(program, argumentOf(node, "self"), static_cast<int64_t>(i)));
    if (op.starts_with("aten.one_hot.") && isAny(argumentOf(node, "self"), followed)) {
      const Argument* classes = argumentOf(node, "num_classes");
      if (classes != nullptr && classes->kind == Kind::Int && classes->integer > 0) lower(bound, classes->integer);
    }
    const bool keeps = std::any_of(std::begin(sameElements), std::end(sameElements),
                                   [&](std::string_view packet) { return op.starts_with(packet); });
    if (keeps && isAny(argumentOf(node, "self"), followed)) addValues(node.outputs, followed);
  }
  return bound;
}

}  // namespace inputs
