#pragma once

#include <string>
#include <vector>

#include "opbench/report/console.h"
#include "opbench/results/row.h"

namespace opbench::report {

/// The tables of Hugging Face's benchmark: time in seconds, then memory in megabytes, of inference and of training; a contender
/// beside the first has a line of its own. What failed is `N/A (reason)`. Memory is what the device has in use, on a CPU what the
/// process has resident.
struct HuggingFaceTables {
  bool speed = true, memory = true, environment = false;
};
std::string huggingFaceTables(const std::vector<Row>& rows, const Run& run, HuggingFaceTables wanted = {});

/// One of Hugging Face's CSV files, `model,batch_size,sequence_length,result`, of the first contender.
enum class HuggingFaceFile { InferenceTime, InferenceMemory, TrainTime, TrainMemory };
std::string huggingFaceCsv(const std::vector<Row>& rows, const Run& run, HuggingFaceFile file);
/// Hugging Face's file of facts, `key,value`.
std::string huggingFaceEnvironment(const Run& run);

/// Our table: first run, percentiles, speedup, samples and tokens a second, memory, energy, a line a contender.
std::string modelTable(const std::vector<Row>& rows, const Run& run, const Layout& layout);

}  // namespace opbench::report
