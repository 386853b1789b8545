#pragma once

#include <string>

#include "inputs/sample.h"

namespace opbench {

/// A Python script that calls eager ATen on the inputs of a sample and prints what comes out; the data of tensor `i`
/// (inputs::storedTensors) is read from `inputs/i.bin` beside it. It needs torch alone, so that whoever maintains the operator
/// can run it. `sample` is as it is run, `device` one that torch knows, `about` its first lines, comments.
std::string driverText(const inputs::Sample& sample, const std::string& device, const std::string& about);

}  // namespace opbench
