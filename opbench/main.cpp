#include "opbench/front/front.h"
#include "opbench/front/whole_program.h"

int main(int argc, char** argv) {
  const auto status = opbench::runWithoutTorch({argv + 1, argv + argc});
  return status ? *status : opbench::runWholeProgram(argc, argv);
}
