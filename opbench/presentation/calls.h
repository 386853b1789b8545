#pragma once

#include <set>
#include <string>
#include <vector>

#include "opbench/presentation/presentation.h"

namespace opbench {

/// The race: a line a row, and the report at the end.
class RaceTable : public Presentation {
 public:
  using Presentation::Presentation;
  void begin(int samples) override;
  void row(const results::SampleResult& result) override;
  void end(const Summary& summary) override;

 private:
  std::set<std::string> fallbacks_;  ///< operators with reasons that were told
};

/// operatorbench's lines in place of the race, at the end.
class OperatorbenchLines : public Presentation {
 public:
  using Presentation::Presentation;
  void begin(int samples) override;
  void row(const results::SampleResult& result) override;
  void end(const Summary& summary) override;

 private:
  std::vector<Row> rows_;
};

}  // namespace opbench
