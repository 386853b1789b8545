#pragma once

#include <vector>

#include "opbench/results/codec.h"
#include "opbench/results/row.h"

namespace opbench::results {

// The fields of the objects within a line.
const std::vector<Field<Histogram>>& histogramFields();
const std::vector<Field<Phase>>& phaseFields();
const std::vector<Field<Tuning>>& tuningFields();
const std::vector<Field<LibraryTrial>>& libraryTrialFields();
const std::vector<Field<Products>>& productFields();
const std::vector<Field<Accuracy>>& accuracyFields();
const std::vector<Field<runtime::MemoryPeaks>>& memoryFields();
const std::vector<Field<runtime::MemoryLine>>& memoryLineFields();
const std::vector<Field<runtime::Counters>>& countersFields();

}  // namespace opbench::results
