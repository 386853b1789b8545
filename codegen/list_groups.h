#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/plan.h"
#include "ir/target.h"
#include "lowering/partition/partition.h"

namespace codegen {

/// The elementwise loops of a group.
struct ElementwiseLoops {
  std::vector<ir::Loops> all;
  std::string text;       ///< without sizes
  size_t mostParams = 0;  ///< of one of the loops
};

/// A group of a network, or several that share their launches.
struct ListedGroup {
  struct Member {
    lowering::Group group;
    const ElementwiseLoops* loops = nullptr;  ///< lives as long as the GroupLister
  };
  lowering::Group group;
  std::vector<Member> members;  ///< what it is made of, where that is more than one
};

/// Joins groups that do the same to tensors of other sizes, such as an optimizer's for each parameter, or casts of weights: one
/// launch takes a list of tensors. Groups are joined that wait for nothing of their phase, in the place of the first one; and
/// groups for which nothing of their phase waits, in the place of the last one, as far as they read no more than they leave, so
/// that nothing is kept for them.
class GroupLister {
 public:
  GroupLister(const ir::Graph& graph, const lowering::DataFlow& flow, const ir::Target& target)
      : graph_(graph), flow_(flow), target_(target) {}

  /// Groups in an order in which they can be carried out, to such an order again.
  std::vector<ListedGroup> list(std::vector<lowering::Group> groups);

  /// The launches of a group that has members, whose kernels have this name.
  Plan plan(const ListedGroup& listed, const std::string& name) const;

 private:
  /// The loops of a group's graph; null where one of them does not do the same to all elements.
  const ElementwiseLoops* loopsOf(const ir::Graph& graph);
  std::optional<ElementwiseLoops> elementwise(const ir::Graph& graph) const;

  const ir::Graph& graph_;
  const lowering::DataFlow& flow_;
  const ir::Target& target_;
  std::unordered_map<std::string, std::optional<ElementwiseLoops>> loops_;  ///< by the text of a group's graph
};

}  // namespace codegen
