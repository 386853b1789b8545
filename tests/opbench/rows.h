#pragma once

#include <vector>

#include "opbench/results/row.h"

namespace tests {

/// Seven rows of three operators on a made-up GPU, one for each thing that can become of a sample.
opbench::Run exampleRun();
std::vector<opbench::Row> exampleRows();

}  // namespace tests
