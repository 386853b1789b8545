// Every input that was worth keeping from a search is read once more by the program as its users have it: what broke a target
// once breaks this test, without a second build. ./dev fuzz searches for others.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/fuzz/target.h"
#include "tests/golden.h"

namespace fs = std::filesystem;

namespace {

fs::path corpus() { return tests::settings().golden.parent_path() / "corpus"; }

std::vector<uint8_t> bytesOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("each fuzz target has inputs, and each folder of inputs a target") {
  std::set<std::string> targets, folders;
  for (const tests::FuzzTarget& target : tests::fuzzTargets()) targets.insert(std::string(target.name));
  for (const fs::directory_entry& folder : fs::directory_iterator(corpus())) folders.insert(folder.path().filename());
  CHECK(targets == folders);
}

TEST_CASE("what reads outside text survives all inputs that searches have kept, and those cut off or with a byte changed") {
  for (const tests::FuzzTarget& target : tests::fuzzTargets()) {
    CAPTURE(target.name);
    size_t inputs = 0;
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(corpus() / target.name)) {
      if (!file.is_regular_file()) continue;
      CAPTURE(file.path());
      ++inputs;
      std::vector<uint8_t> bytes = bytesOf(file);
      CHECK(target.read(bytes.data(), bytes.size()) == 0);
      CHECK(target.read(bytes.data(), bytes.size() / 2) == 0);
      constexpr size_t changes = 64;
      for (size_t i = 0; i < std::min(changes, bytes.size()); ++i) {
        const size_t at = i * bytes.size() / std::min(changes, bytes.size());
        const uint8_t before = bytes[at];
        CAPTURE(at);
        for (const uint8_t changed : {uint8_t{'9'}, static_cast<uint8_t>(before ^ 0x80)}) {
          bytes[at] = changed;
          CHECK(target.read(bytes.data(), bytes.size()) == 0);
        }
        bytes[at] = before;
      }
    }
    CHECK(inputs > 0);
  }
}
