#pragma once

#include <vector>

#include "opbench/presentation/presentation.h"

namespace opbench {

/// Networks among other samples: a table each, as they come.
class NetworkTables : public Presentation {
 public:
  using Presentation::Presentation;
  void row(const results::SampleResult& result) override;
};

/// Networks that are merged: models are kept for one table, or the runner's where that is asked for.
class MergedNetworks : public NetworkTables {
 public:
  using NetworkTables::NetworkTables;
  void row(const results::SampleResult& result) override;
  void end(const Summary& summary) override;

 private:
  std::vector<Row> models_;
};

/// `opbench rnn`: fastrnns' lines as rows come, and when all are there our tables, or fastrnns' JSON instead of both.
class FastrnnsTables : public Presentation {
 public:
  using Presentation::Presentation;
  void row(const results::SampleResult& result) override;
  void end(const Summary& summary) override;

 private:
  /// Whether fastrnns' lines, which go to standard error, and our tables are shown.
  bool hasTables() const { return stage_.console != nullptr && stage_.options.rnn.printJson.empty(); }

  std::vector<Row> rows_;
};

}  // namespace opbench
