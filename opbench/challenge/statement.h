#pragma once

#include <string>

#include "inputs/sample.h"
#include "ir/graph.h"
#include "ir/target.h"

namespace opbench {

/// The files of a challenge that say what is to be computed, and those to fill in.
struct Statement {
  std::string reference;  ///< reference.py: the sample as PyTorch code
  std::string python;     ///< mine.py, which computes the reference until somebody writes better
  std::string cuda;       ///< mine.cu, an empty kernel
  std::string cpp;        ///< mine.cpp, an operator that refuses
  std::string shapes;     ///< the tensors that it reads and makes, as a table of Markdown
};

/// The statement of a sample's challenge. Its names are made here: nothing that a file says is pasted into a program but what was
/// parsed and printed anew. Error: Unsupported where the types of a call's results are not known before it runs, and for
/// networks.
Statement statementOf(const inputs::Sample& sample, ir::Backend backend);

}  // namespace opbench
