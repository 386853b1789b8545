#pragma once

#include <doctest/doctest.h>

#include <string>

#include "ir/text/text.h"

namespace tests {

/// What `rewrite` makes of a graph's text, which is read back as the same graph.
template <typename Rewrite>
std::string rewritten(const std::string& text, const Rewrite& rewrite) {
  const ir::Graph graph = rewrite(ir::parseGraph(text));
  CHECK(ir::parseGraph(ir::toText(graph)) == graph);
  return ir::toText(graph);
}

}  // namespace tests
