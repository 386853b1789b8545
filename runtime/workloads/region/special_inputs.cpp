#include "runtime/workloads/region/special_inputs.h"

#include <variant>
#include <vector>

#include "inputs/operators/facts.h"
#include "runtime/capture/recording.h"
#include "runtime/workloads/region/operands.h"

namespace runtime {
namespace {

bool holdsSpecials(const inputs::ValueRange& range) {
  if (const auto* nonZero = std::get_if<inputs::NonZero>(&range)) return !nonZero->isTame;
  if (const auto* halves = std::get_if<inputs::Halves>(&range)) return !halves->isFinite;
  return std::holds_alternative<inputs::Plain>(range) || std::holds_alternative<inputs::Positive>(range) ||
         std::holds_alternative<inputs::NonFinite>(range);
}

/// Values that follow from an input.
class Derived {
 public:
  Derived(const ir::Graph& graph, int input) : graph_(graph), isDerived_(graph.values.size()) { add(input); }

  bool has(int value) const { return isDerived_[static_cast<size_t>(value)]; }
  /// Adds a value, with the values that lie in the same memory.
  void add(int value) {
    const int storage = graph_.values[static_cast<size_t>(value)].storage;
    isDerived_[static_cast<size_t>(value)] = true;
    for (size_t i = 0; i < graph_.values.size(); ++i)
      if (storage >= 0 && graph_.values[i].storage == storage) isDerived_[i] = true;
  }

 private:
  const ir::Graph& graph_;
  std::vector<bool> isDerived_;
};

}  // namespace

bool mayBeSpecial(const ir::Graph& graph, int input) {
  Derived derived(graph, input);
  bool may = true;
  for (const ir::Node& node : graph.nodes) {
    bool isTaken = false;
    forEachOperand(node, [&](int value, size_t argument, size_t item) {
      if (!derived.has(value)) return;
      const inputs::Sample call = sampleOf(graph, node);
      isTaken = true;
      may = may && argument < call.args.size() && holdsSpecials(inputs::valueRangeOf(call, argument, item));
    });
    if (!isTaken) continue;
    for (const int output : node.outputs) derived.add(output);
    for (const int written : node.writes) derived.add(written);
  }
  return may;
}

}  // namespace runtime
