#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "opbench/results/row.h"

namespace opbench::report {

/// What a row of a model says in its sample: its name, and how much it takes at once.
struct ModelRow {
  std::string model;
  bool isTraining = false;
  int64_t batch = 0;              ///< 0 where nothing is known, as of a file that could not be read
  std::optional<int64_t> length;  ///< of sequences of tokens
};
ModelRow modelRowOf(const Row& row);

/// `8`, `-` where it is not known.
std::string batchText(const ModelRow& model);
std::string lengthText(const ModelRow& model);

/// A word of a CSV file, quoted where it must be.
std::string csvWord(const std::string& word);

}  // namespace opbench::report
