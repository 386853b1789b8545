#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>

namespace kernels {

/// Which kernel a line of a list is about. No field is empty or holds a blank.
struct Key {
  std::string target;  ///< `sm_90`, `avx512`, `avx2`
  std::string dtype;   ///< `float16`
  std::string op;      ///< `aten.add.Tensor`
  std::string sample;  ///< a hash of the recorded call
  int number = 0;      ///< among the kernels of the sample, from 0
  auto operator<=>(const Key&) const = default;
};

/// What a build makes of it.
struct Entry {
  std::string hash;    ///< of all that reaches the compiler and the launch, or of the reason why there is no kernel
  std::string masked;  ///< the same without names and comments
  std::string kind;    ///< `kernel`, or why there is none: `no-lowering`, `crashed`, ...
  bool operator==(const Entry&) const = default;
};

/// hashes.txt: a line an entry, `HASH MASKED TARGET DTYPE OPERATOR SAMPLE NUMBER KIND`.
using Hashes = std::map<Key, Entry>;
std::string toLine(const Key& key, const Entry& entry);
/// Error: Input, for a line that is none.
Hashes parseHashes(std::string_view text);

/// How the kernels of two builds differ.
struct Comparison {
  int same = 0;
  int renamed = 0;  ///< same but for names and comments, or for the wording of a reason
  int changed = 0;
  int onlyInA = 0, onlyInB = 0;
  std::string text;  ///< the counts, and for each operator and target the first kernels that changed

  bool isSameButForNames() const { return changed + onlyInA + onlyInB == 0; }
};
Comparison compare(const Hashes& a, const Hashes& b);

}  // namespace kernels
