// known_ceilings CACHE KEYFILE: puts ceilings of a CPU on one thread into a cache, so that programs that are tested with it need
// not measure this machine's.
#include <cstdlib>
#include <exception>
#include <iostream>

#include "tests/opbench/known_ceilings.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: known_ceilings CACHE KEYFILE\n";
    return EXIT_FAILURE;
  }
  try {
    tests::putCeilings({argv[1], argv[2]});
  } catch (const std::exception& error) {
    std::cerr << "known_ceilings: " << error.what() << "\n";
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
