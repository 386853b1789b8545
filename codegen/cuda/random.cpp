#include "codegen/cuda/random.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "ir/index/lane_run.h"
#include "ir/scalar.h"
#include "ir/walk.h"

namespace codegen {
namespace {

using ir::Expr;

/// What words that lie one after another are computed from: seed, draw, and the first word's index.
using Source = std::array<const Expr*, 3>;

struct Words {
  const Expr* node;
  ir::LaneRun run;
  Source from;
};

std::vector<Words> wordsOf(const ir::Kernel& kernel, const ir::Lanes& lanes) {
  std::vector<Words> all;
  for (const Expr* node : ir::postorder(ir::storedValues(lanes.stores))) {
    const bool isOneDraw =
        node->op == ir::Op::Philox && !ir::dependsOn(node->src[0], lanes.axis) && !ir::dependsOn(node->src[1], lanes.axis);
    const auto run = isOneDraw ? ir::laneRun(*kernel.pool, node->src[2], lanes.axis, ir::philoxWords) : std::nullopt;
    if (run) all.push_back({node, *run, {node->src[0], node->src[1], run->first}});
  }
  return all;
}

}  // namespace

void nameRandomWords(const ir::Kernel& kernel, const ir::Lanes& lanes, CudaScope& scope) {
  const std::vector<Words> all = wordsOf(kernel, lanes);
  std::map<Source, int64_t> counts;
  for (const Words& words : all) counts[words.from] = std::max(counts[words.from], words.run.extent(lanes.axis->axis().extent));
  std::map<Source, std::string> vectors;
  CudaExpressions& print = scope.expressions();
  for (const auto& [node, run, from] : all) {
    std::string& vector = vectors[from];
    if (vector.empty()) {
      scope.declare({print.keyOf(from[0], As::Value), print.keyOf(from[1], As::Value), print.keyOf(from[2], As::Index)},
                    LaneForm::Scalar, nullptr);
      vector = scope.unique("random");
      scope.line(fmt::format("const auto {} = randomWords<{}>({}, {}, {});", vector, counts.at(from), print.value(from[0]),
                             print.value(from[1]), print.index(from[2])));
    }
    const std::string lane = print.index(lanes.axis), scaled = run.step == 1 ? lane : fmt::format("{} * {}", lane, run.step);
    const std::string place = run.begin == 0 ? scaled : fmt::format("{} + {}", scaled, run.begin);
    print.bind(print.keyOf(node, As::Value), {fmt::format("{}[{}]", vector, place)});
  }
}

}  // namespace codegen
