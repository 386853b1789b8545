#include "opbench/report/networks/model_row.h"

#include "inputs/sample.h"

namespace opbench::report {

ModelRow modelRowOf(const Row& row) {
  ModelRow model;
  const size_t first = row.op.find('.'), last = row.op.rfind('.');
  model.model = row.op.substr(first + 1, last - first - 1);
  model.isTraining = row.op.substr(last + 1) == "training";
  inputs::Sample sample;
  sample.op = row.op;
  inputs::parseCall(row.sample, {row.file, row.line}, 1, sample);
  const ir::TensorType* input = sample.args.empty() ? nullptr : sample.args.front().as<ir::TensorType>();
  if (input == nullptr || input->sizes.empty()) return model;
  model.batch = input->sizes.front();
  if (!ir::isFloating(input->dtype) && input->sizes.size() > 1) model.length = input->sizes[1];
  return model;
}

std::string batchText(const ModelRow& model) { return model.batch > 0 ? std::to_string(model.batch) : "-"; }
std::string lengthText(const ModelRow& model) { return model.length ? std::to_string(*model.length) : "-"; }

std::string csvWord(const std::string& word) {
  if (word.find_first_of(",\"\n") == std::string::npos) return word;
  std::string quoted = "\"";
  for (const char letter : word) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

}  // namespace opbench::report
