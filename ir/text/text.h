#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"
#include "ir/kernel.h"
#include "ir/loops.h"

namespace ir {

/// The text forms that dumps and golden pages show. Nodes used more than once get a `let`, numbered by a walk over the
/// result; parse*(toText(x)) prints the same text again. Of a buffer's graph value the text has the name alone. The axes that
/// reductions bind are listed with the loops' own, so that a `let` may depend on them.
std::string toText(const Graph& graph);
std::string toText(const Loops& loops);
std::string toText(const Kernel& kernel);
/// One expression with axes as `i<id>` and buffers as `b<index>`: for messages.
std::string toText(const Expr* expr);

/// Read the text forms back; an Input error says `line:column: expected X, found Y`.
Graph parseGraph(std::string_view text);
Loops parseLoops(std::string_view text);
Kernel parseKernel(std::string_view text);

}  // namespace ir
