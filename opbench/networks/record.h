#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "opbench/networks/model.h"

namespace opbench {

struct Options;

/// The options of `opbench record`.
struct RecordOptions {
  ModelOptions model;               ///< of one model, in one mode
  std::vector<std::string> inputs;  ///< sizes of inputs, `2,128` in order or `ids=2,128` by name
  bool allCalls = false;            ///< whether calls are kept that operatorbench's recorder leaves out
  bool isPortable = false;          ///< whether only operators are called that every device has
  bool isChecked = false;           ///< whether what is recorded is replayed, and its calls are audited
  std::string out;                  ///< the file; empty where there is none to write
  std::string regions;              ///< the folder of regions; empty where there is none to write
};

/// Adds the verb and its options.
void declareRecord(CLI::App& app, RecordOptions& options);
/// Errors: Input, for what cannot be or contradicts itself.
void check(const RecordOptions& options);

/// Sizes of all inputs of a program: those that the texts give, else those that were exported. Errors: Input.
std::vector<std::vector<int64_t>> inputSizes(const std::vector<std::string>& texts, const runtime::Program& program);

/// Records a step of Options::recording's model on a device, writes its calls and its regions as samples and says what it found.
/// Returns whether the check, where there is one, found no difference. Errors: Input; Unsupported for what cannot be captured.
bool record(const Options& options, const std::string& device, std::ostream& out);

}  // namespace opbench
