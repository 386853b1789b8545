#pragma once

#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/loops.h"
#include "lowering/tensor/context.h"

namespace lowering {

/// How a call becomes lazy tensors: one for each output that eager defines, in schema
/// order, then one for each argument that is written and not returned.
using Rule = std::function<Tensors(Context&)>;

/// The meaning of an ATen operator, registered by being defined: `const Lowering silu{"aten::silu", ...};`. The name stands
/// for all overloads (`aten::add`) or for one (`aten::pow.Scalar`), which wins; in-place forms (`aten::silu_`) follow from it,
/// and views (`aten::select`) from their copies (`aten::select_copy`).
class Lowering {
 public:
  Lowering(const std::string& name, Rule rule, std::source_location where = std::source_location::current());
};

/// A name under which a Lowering was defined, and where.
struct Registration {
  std::string name;   ///< `aten::silu`, `aten::pow.Scalar`
  std::string place;  ///< `lowering/operators/pointwise/activation.cpp:42`
};

/// Whether there is a lowering for an operator `aten.add_.Tensor`.
bool hasLowering(const std::string& op);
/// Every Lowering that was defined, sorted by name. Of several with one name the first counts; whoever starts the program refuses
/// them (opbench/cli/registrations.h).
std::vector<Registration> registrations();

/// Lowers a graph whose operators all have lowerings, for a backend and an ATen: what it hands back is stored. Errors:
/// Unsupported for dtypes and forms that cannot be expressed; Internal where a lowering's dtype or sizes differ from what the
/// graph (that is, eager) says.
std::vector<ir::Loops> lower(const ir::Graph& graph, ir::Backend backend = ir::Backend::Cuda, const ir::AtenRules& aten = {});

}  // namespace lowering
