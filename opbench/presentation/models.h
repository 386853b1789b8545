#pragma once

#include <string>
#include <vector>

#include "opbench/presentation/presentation.h"

namespace opbench {

/// Our tables of models.
std::string modelTables(const std::vector<Row>& rows, const Stage& stage, const report::Layout& layout);
/// The table of torchbench's runner, and its CSV where the options say.
void showRunner(const std::vector<Row>& rows, const Stage& stage);

/// `opbench model` as torchbench's runner, when all rows are there.
class RunnerTable : public Presentation {
 public:
  using Presentation::Presentation;
  void row(const results::SampleResult& result) override { rows_.push_back(result.row); }
  void end(const Summary& summary) override;

 private:
  std::vector<Row> rows_;
};

/// `opbench model`: Hugging Face's tables, ours, and Hugging Face's files, when all rows are there.
class HuggingFaceTables : public Presentation {
 public:
  using Presentation::Presentation;
  void row(const results::SampleResult& result) override { rows_.push_back(result.row); }
  void end(const Summary& summary) override;

 private:
  void writeCsv() const;

  std::vector<Row> rows_;
};

}  // namespace opbench
