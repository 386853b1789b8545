#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr size_t longest = 4096;

using Corpus = std::vector<std::string>;

Corpus read(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  Corpus corpus;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return corpus;
}

/// Texts derived from a corpus by small edits and by splicing pieces of it together.
class Mutator {
 public:
  Mutator(const Corpus& corpus, uint64_t seed) : corpus_(corpus), random_(seed) {}

  std::string next() {
    std::string text = pick();
    for (size_t edits = 1 + below(6); edits > 0; --edits) edit(text);
    text.resize(std::min(text.size(), longest));
    return text;
  }

 private:
  size_t below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random_); }
  const std::string& pick() { return corpus_[below(corpus_.size())]; }

  std::string piece() {
    const std::string& text = pick();
    if (text.empty()) return text;
    size_t start = below(text.size());
    return text.substr(start, 1 + below(24));
  }

  void edit(std::string& text) {
    size_t at = below(text.size() + 1), length = 1 + below(8);
    switch (below(6)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, piece()); break;
      case 2: text.insert(at, std::string(below(200), "([{0123456789-"[below(14)])); break;
      case 3: text.insert(at, text.substr(std::min(at, text.size()), length)); break;
      case 4: text.resize(at); break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
    }
  }

  const Corpus& corpus_;
  std::mt19937_64 random_;
};

}  // namespace

/// `driver CORPUS RUNS [SEED]`: the corpus as it is, then RUNS texts mutated from it; the same ones for the same seed. The
/// run that breaks a promise aborts. For compilers without libFuzzer, and for a bounded, repeatable run.
int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s CORPUS RUNS [SEED]\n", argv[0]);
    return 2;
  }
  Corpus corpus = read(argv[1]);
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: no files\n", argv[1]);
    return 2;
  }
  auto run = [](const std::string& text) { LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size()); };
  std::for_each(corpus.begin(), corpus.end(), run);
  Mutator mutator(corpus, argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  long runs = std::strtol(argv[2], nullptr, 10);
  for (long i = 0; i < runs; ++i) run(mutator.next());
  std::printf("%zu texts and %ld mutations of them\n", corpus.size(), runs);
}
