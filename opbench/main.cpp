#include "opbench/program.h"

int main(int argc, char** argv) { return opbench_run(argc, argv); }
