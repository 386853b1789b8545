#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tests {

/// How a program ended, and what it wrote.
struct Ended {
  int status = 0;  ///< its exit status; 127 where there is no such program
  std::string out, err;
};

/// The words as programs take them: their pointers, and one that is none.
std::vector<char*> pointersTo(std::vector<std::string>& words);

/// Runs a program, which is looked up on PATH, in a folder, with variables set beside those there are.
Ended runProgram(std::vector<std::string> words, const std::filesystem::path& folder, std::vector<std::string> variables = {});

/// Whether there is a python3 on PATH; a message says where there is none.
bool hasPython();

}  // namespace tests
