#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/target.h"
#include "lowering/analysis/cost.h"
#include "lowering/partition/cuts.h"
#include "lowering/partition/partition.h"

namespace codegen {

/// Cuts groups of calls until each is one that the compiler takes, and that takes no longer than its calls one by one, nor than
/// the two sides of a cut where a value that it computes again and again is stored. A refused or losing group is cut where the
/// compiler takes both sides, of such places where fewest bytes go from one to the other. Copies share what they find out about
/// graphs, and each may be used on a thread of its own.
class GroupCutter {
 public:
  GroupCutter(const ir::Graph& graph, const lowering::DataFlow& flow, const ir::Target& target)
      : graph_(graph), flow_(flow), target_(target) {}

  /// A group as groups that are compiled one by one, in their order, each with the reason why it is apart; calls alone that the
  /// compiler refuses are not generated. Inputs have their places (lowering::withPlaces).
  std::vector<lowering::Group> cut(const lowering::Group& group);

  /// Groups in their order, each that is to be generated as what it is cut into: many at a time.
  std::vector<lowering::Group> cut(std::vector<lowering::Group> groups) const;

  /// All calls of the graph as such groups: a single one that is the graph itself, where that is taken.
  std::vector<lowering::Group> cutAll();

  /// Why the compiler does not take a graph; empty where it does. May be called on several threads.
  const std::string& whyRefused(const ir::Graph& graph) const { return judged(graph).why; }

 private:
  /// What comes of compiling a graph.
  struct Verdict {
    std::string why;  ///< it is refused; empty where it is not
    lowering::Cost cost;
  };
  struct Verdicts {
    struct Entry {
      std::once_flag once;
      Verdict verdict;
    };
    std::mutex adding;
    std::unordered_map<std::string, Entry> all;  ///< by text
  };
  /// Calls as a group, and why they are not compiled as one; empty where they are.
  struct Candidate {
    lowering::Group group;
    std::string why;
    lowering::Cost cost;
  };

  /// Each graph is compiled once: whoever asks meanwhile waits.
  const Verdict& judged(const ir::Graph& graph) const;
  const Candidate& candidateOf(const std::vector<int>& calls);
  /// Finds out about both sides of all cuts, many at a time. Each call alone is known before (costApart).
  void foresee(const std::vector<lowering::Cut>& cuts);
  Candidate made(const std::vector<int>& calls);
  /// Calls one by one; nothing where one is refused.
  std::optional<lowering::Cost> costApart(const std::vector<int>& calls);
  /// Why calls take longer as one than one by one; empty where they do not.
  std::string whyLosing(const std::vector<int>& calls, const lowering::Cost& cost);
  /// The cut after which calls take least, if that is less than as one. Only what computes more than its calls can have one.
  std::optional<lowering::Cut> cheaperCut(const std::vector<int>& calls, const lowering::Cost& cost);
  bool isTaken(const std::vector<int>& calls);
  lowering::Cut cutOf(const std::vector<int>& calls);
  void add(const std::vector<int>& calls, const std::string& why, std::vector<lowering::Group>& groups);

  const ir::Graph& graph_;
  const lowering::DataFlow& flow_;
  const ir::Target& target_;
  std::shared_ptr<Verdicts> verdicts_ = std::make_shared<Verdicts>();
  std::map<std::vector<int>, Candidate> candidates_;  ///< of the group at hand, by its calls
  std::vector<std::vector<int>> refused_;             ///< calls of the group at hand that are no group
};

}  // namespace codegen
