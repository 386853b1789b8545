#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

namespace tests {

/// A fuzz target by its name: the folder of its inputs in tests/fuzz/corpus.
struct FuzzTarget {
  std::string_view name;
  int (*read)(const uint8_t* data, size_t size);
};

/// The targets that are linked into the program.
inline std::vector<FuzzTarget>& fuzzTargets() {
  static std::vector<FuzzTarget> targets;
  return targets;
}

/// Ends the program, after saying which promise was broken and on what text, unless it holds.
inline void promise(bool holds, std::string_view what, std::string_view text = "") {
  if (holds) return;
  std::cerr << "broken: " << what << "\n" << text << "\n";
  std::abort();
}

}  // namespace tests

/// Begins the function that a target calls with each input, (const uint8_t* data, size_t size): libFuzzer's in a program of its
/// own, one of fuzzTargets() where inputs that were found are read once more.
#ifdef OPBENCH_FUZZ
#define FUZZ_TARGET(name) extern "C" int LLVMFuzzerTestOneInput
#else
#define FUZZ_TARGET(name)                                                                                   \
  static int name(const uint8_t* data, size_t size);                                                        \
  static const auto& registered_##name = tests::fuzzTargets().emplace_back(tests::FuzzTarget{#name, name}); \
  static int name
#endif
