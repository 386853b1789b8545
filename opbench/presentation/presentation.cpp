#include "opbench/presentation/presentation.h"

#include "opbench/presentation/calls.h"
#include "opbench/presentation/models.h"
#include "opbench/presentation/networks.h"

namespace opbench {
namespace {

std::unique_ptr<Presentation> networksOf(const Stage& stage) {
  switch (stage.options.verb) {
    case Verb::Rnn: return std::make_unique<FastrnnsTables>(stage);
    case Verb::Model:
      if (stage.options.model.runner.isOn) return std::make_unique<RunnerTable>(stage);
      return std::make_unique<HuggingFaceTables>(stage);
    case Verb::Merge: return std::make_unique<MergedNetworks>(stage);
    default: return std::make_unique<NetworkTables>(stage);
  }
}

}  // namespace

std::vector<std::unique_ptr<Presentation>> presentationsOf(const Stage& stage) {
  const bool isOperatorbench = stage.options.compat == Compat::Operatorbench;
  const bool racesNetworks = stage.options.verb == Verb::Rnn || stage.options.verb == Verb::Model;
  std::vector<std::unique_ptr<Presentation>> presentations;
  if (isOperatorbench) presentations.push_back(std::make_unique<OperatorbenchLines>(stage));
  presentations.push_back(networksOf(stage));
  if (!isOperatorbench && !racesNetworks) presentations.push_back(std::make_unique<RaceTable>(stage));
  return presentations;
}

}  // namespace opbench
