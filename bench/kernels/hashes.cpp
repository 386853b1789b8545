#include "bench/kernels/hashes.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "ir/error.h"

namespace kernels {
namespace {

constexpr int mostShown = 3;  // of one operator's differences on a target

/// The differences of one operator on one target.
struct Differences {
  int count = 0;
  std::string first;  ///< a line each

  void add(const Key& key, const std::string& what) {
    if (++count <= mostShown) first += fmt::format("    {} {} kernel {}: {}\n", key.sample, key.dtype, key.number, what);
  }
};

std::string nameOf(const Entry& entry, const Entry& other) {
  return entry.kind == other.kind ? fmt::format("{} {:.8}", entry.kind, entry.masked) : entry.kind;
}

}  // namespace

std::string toLine(const Key& key, const Entry& entry) {
  return fmt::format("{} {} {} {} {} {} {} {}\n", entry.hash, entry.masked, key.target, key.dtype, key.op, key.sample, key.number,
                     entry.kind);
}

Hashes parseHashes(std::string_view text) {
  Hashes hashes;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    Key key;
    Entry entry;
    std::istringstream fields(line);
    fields >> entry.hash >> entry.masked >> key.target >> key.dtype >> key.op >> key.sample >> key.number >> entry.kind;
    if (!fields || !hashes.emplace(key, entry).second)
      ir::fail(ir::ErrorKind::Input, "line {}: expected the hash of a kernel that no line before has, found '{}'", number, line);
  }
  return hashes;
}

Comparison compare(const Hashes& a, const Hashes& b) {
  Comparison result;
  std::map<std::pair<std::string, std::string>, Differences> differences;
  const auto add = [&](const Key& key, const std::string& what) { differences[{key.op, key.target}].add(key, what); };
  for (const auto& [key, before] : a) {
    const auto found = b.find(key);
    if (found == b.end()) {
      ++result.onlyInA;
      add(key, fmt::format("only in A ({})", before.kind));
    } else if (const Entry& after = found->second; before == after) {
      ++result.same;
    } else if (before.masked == after.masked && before.kind == after.kind) {
      ++result.renamed;
    } else {
      ++result.changed;
      add(key, fmt::format("{} -> {}", nameOf(before, after), nameOf(after, before)));
    }
  }
  for (const auto& [key, after] : b) {
    if (a.contains(key)) continue;
    ++result.onlyInB;
    add(key, fmt::format("only in B ({})", after.kind));
  }
  result.text = fmt::format("{} same, {} same but for names, {} changed, {} only in A, {} only in B\n", result.same,
                            result.renamed, result.changed, result.onlyInA, result.onlyInB);
  for (const auto& [place, found] : differences)
    result.text += fmt::format("  {} on {}: {}\n{}", place.first, place.second, found.count, found.first);
  return result;
}

}  // namespace kernels
