#include "opbench/presentation/models.h"

#include <fmt/format.h>

#include "inputs/files.h"
#include "opbench/report/networks/memory_trace.h"
#include "opbench/report/networks/models.h"
#include "opbench/report/networks/runner.h"
#include "opbench/text/time.h"

namespace opbench {

std::string modelTables(const std::vector<Row>& rows, const Stage& stage, const report::Layout& layout) {
  std::string text = report::modelTable(rows, *stage.run, layout);
  for (const Row& row : rows) text += report::memoryTrace(row, layout, stage.options.model.isVerbose);
  return text;
}

void showRunner(const std::vector<Row>& rows, const Stage& stage) {
  const RunnerOptions& runner = stage.options.model.runner;
  const report::RunnerMode mode = runner.isAccuracy ? report::RunnerMode::Accuracy : report::RunnerMode::Performance;
  if (stage.console != nullptr) *stage.console << report::runnerTable(rows, *stage.run, mode, stage.layout);
  if (!runner.output.empty()) inputs::writeFile(runner.output, report::runnerCsv(rows, *stage.run, mode));
}

void RunnerTable::end(const Summary& /*summary*/) {
  sortByIndex(rows_);
  showRunner(rows_, stage_);
}

void HuggingFaceTables::end(const Summary& /*summary*/) {
  sortByIndex(rows_);
  const Options& options = stage_.options;
  const ModelOptions& model = options.model;
  const report::HuggingFaceTables wanted{options.timing, !options.noMemory, model.printsEnvironment};
  const std::string tables = report::huggingFaceTables(rows_, *stage_.run, wanted);
  if (stage_.console != nullptr) *stage_.console << (options.quiet ? "" : tables) << modelTables(rows_, stage_, stage_.layout);
  if (model.logsTables || !model.log.empty())
    inputs::writeFile(model.log.empty() ? fmt::format("log_{}.txt", now()) : model.log, tables + modelTables(rows_, stage_, {}));
  if (model.savesCsv) writeCsv();
}

void HuggingFaceTables::writeCsv() const {
  using report::HuggingFaceFile;
  const Options& options = stage_.options;
  const ModelOptions& model = options.model;
  const auto write = [&](const std::string& asked, const char* otherwise, const std::string& content) {
    inputs::writeFile(asked.empty() ? fmt::format("{}_{}.csv", otherwise, now()) : asked, content);
  };
  const auto csv = [&](HuggingFaceFile file) { return report::huggingFaceCsv(rows_, *stage_.run, file); };
  if (!model.noInference && options.timing) write(model.inferenceTimeCsv, "inference_time", csv(HuggingFaceFile::InferenceTime));
  const bool hasMemory = !options.noMemory;
  if (!model.noInference && hasMemory) write(model.inferenceMemoryCsv, "inference_memory", csv(HuggingFaceFile::InferenceMemory));
  if (model.isTraining && options.timing) write(model.trainTimeCsv, "train_time", csv(HuggingFaceFile::TrainTime));
  if (model.isTraining && hasMemory) write(model.trainMemoryCsv, "train_memory", csv(HuggingFaceFile::TrainMemory));
  write(model.envInfoCsv, "env_info", report::huggingFaceEnvironment(*stage_.run));
}

}  // namespace opbench
