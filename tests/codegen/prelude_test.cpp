// Programs begin with the declarations of the prelude that they use, and with what these use themselves.
#include "codegen/cuda/prelude.h"

#include <doctest/doctest.h>

#include <string>

namespace {

/// The lines of a prelude that begin a declaration or a namespace: those in the first column that are no comments.
std::string heads(const std::string& text) {
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    if (!line.empty() && line.front() != ' ' && !line.starts_with("//") && line != "}" && line != "};" &&
        !line.starts_with("template"))
      lines += line + "\n";
  }
  return lines;
}

}  // namespace

TEST_CASE("a text that uses nothing begins with nothing") {
  CHECK(codegen::cudaPreludeFor("") == "");
  CHECK(codegen::cudaPreludeFor("int x = 1;  // load, store and f32\n") == "");
}

TEST_CASE("declarations stand in their order and their namespaces, with what they use") {
  CHECK(heads(codegen::cudaPreludeFor("y = f32(x);")) == "using f32 = float;\n");
  CHECK(heads(codegen::cudaPreludeFor("f16 x;")) == "using u16 = unsigned short;\nusing f32 = float;\nstruct f16 {\n");
  CHECK(heads(codegen::cudaPreludeFor("y = fast::log(x);")) == R"(using f32 = float;
using f64 = double;
namespace math {
inline f32 log(f32 x) { return ::logf(x); }
inline f64 log(f64 x) { return ::log(x); }
inline f32 log2(f32 x) { return ::log2f(x); }
inline f64 log2(f64 x) { return ::log2(x); }
}  // namespace math
namespace fast {
inline f32 log2(f32 x) {
inline f32 log(f32 x) { return log2(x) * 0.693147181f; }
}  // namespace fast
)");
}

TEST_CASE("templates come with their specializations, functions with their overloads") {
  CHECK(heads(codegen::cudaPreludeFor("Word<4>::type x;")) ==
        "using u8 = unsigned char;\nusing u16 = unsigned short;\nusing u32 = unsigned int;\nstruct Word;\nstruct Word<1> {\n"
        "struct Word<2> {\nstruct Word<4> {\nstruct Word<8> {\nstruct Word<16> {\n");
  const std::string lanes = heads(codegen::cudaPreludeFor("elements<Vec<int, 4>>"));
  CHECK(lanes == "struct Vec {\nconstexpr int elements = 1;\nconstexpr int elements<Vec<T, N>> = N;\n");
  CHECK(heads(codegen::cudaPreludeFor("awaitCopies();")) ==
        "inline void awaitCopies() { asm volatile(\"cp.async.wait_all;\" ::: \"memory\"); }\ninline void awaitCopies(int later) "
        "{\n");
}

TEST_CASE("a routine is called, not inlined: its loops are compiled once, however many lanes call it") {
  const std::string routine = heads(codegen::cudaPreludeFor("y = math::chebyshev_t(f64(x), f64(n));"));
  CHECK(routine.find(
            "\ninline f64 recurrence(f64 factor, f64 first, i64 n) {\n__noinline__ f64 chebyshev_t(f64 x, f64 degree) {\n") !=
        std::string::npos);
}

TEST_CASE("a text that uses everything gets everything") {
  const std::string all(codegen::cudaPrelude());
  CHECK(heads(codegen::cudaPreludeFor(all)) == heads(all));
}

TEST_CASE("a source without its prelude is its kernel, after a line break") {
  CHECK(codegen::withoutPrelude("using f32 = float;\n\nextern \"C\" __global__ void k() {}\n") ==
        "\nextern \"C\" __global__ void k() {}\n");
}
