// Kernels that NVRTC is asked about together: those that it refuses are named, and no others.
#include "tests/runtime/build/kernel_batch.h"

#include <doctest/doctest.h>

#include <set>

namespace {

/// A kernel of this name and body, before which stands other text.
ir::KernelSource written(const std::string& body, const std::string& name = "fill", const std::string& before = "") {
  ir::KernelSource program;
  program.name = name;
  program.backend = ir::Backend::Cuda;
  program.arch = "sm_90";
  program.options = {"--std=c++17", "-default-device"};
  program.source =
      "\nextern \"C\" __global__ void __launch_bounds__(32)\n" + name + "(\n    int* p) {\n" + body + "\n}\n" + before;
  return program;
}

}  // namespace

TEST_CASE("kernels of one name are accepted together, in more than one unit, and the batch is empty afterwards") {
  if (tests::nvrtc() == nullptr) return;
  tests::KernelBatch batch;
  for (int i = 0; i < 30; ++i) batch.add(written(fmt::format("p[0] = {};", i)), fmt::format("kernel {}", i));
  CHECK(batch.refusals().empty());
  batch.add(written("p[0] = nothing;"), "wrong");
  CHECK(batch.refusals().size() == 1);
  CHECK(batch.refusals().empty());
}

TEST_CASE("of a unit exactly the kernels are named that do not compile, with NVRTC's words") {
  if (tests::nvrtc() == nullptr) return;
  for (const tests::CompiledTo to : {tests::CompiledTo::Ptx, tests::CompiledTo::MachineCode}) {
    tests::KernelBatch batch(to);
    for (int i = 0; i < 30; ++i) {
      const bool isWrong = i == 0 || i == 7 || i == 29;
      batch.add(written(isWrong ? fmt::format("p[0] = nothing{};", i) : "p[0] = 1;"), fmt::format("kernel {}", i));
    }
    const std::vector<std::string> refusals = batch.refusals();
    REQUIRE(refusals.size() == 3);
    for (const auto& [at, number] : {std::pair{0, 0}, std::pair{1, 7}, std::pair{2, 29}}) {
      CHECK(refusals[static_cast<size_t>(at)].starts_with(fmt::format("kernel {}: NVRTC refuses the kernel", number)));
      CHECK(refusals[static_cast<size_t>(at)].find(fmt::format("\"nothing{}\" is undefined", number)) != std::string::npos);
    }
  }
}

TEST_CASE("what only the assembler refuses is refused where kernels are compiled to machine code") {
  if (tests::nvrtc() == nullptr) return;
  tests::KernelBatch batch(tests::CompiledTo::MachineCode);
  batch.add(written("p[0] = 1;"), "right");
  batch.add(written("asm volatile(\"no such instruction;\");"), "wrong");
  const std::vector<std::string> refusals = batch.refusals();
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].starts_with("wrong: "));
}

TEST_CASE("a kernel that is refused is named where it is the only one") {
  if (tests::nvrtc() == nullptr) return;
  tests::KernelBatch batch;
  batch.add(written("p[0] = nothing;"), "alone");
  const std::vector<std::string> refusals = batch.refusals();
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].starts_with("alone: NVRTC refuses the kernel"));
}

TEST_CASE("kernels that compile one by one and not together are no pass") {
  if (tests::nvrtc() == nullptr) return;
  tests::KernelBatch batch;
  const std::string shared = "__device__ int shared() { return 1; }\n";
  batch.add(written("p[0] = 1;", "fill", shared), "one");
  batch.add(written("p[0] = 2;", "fill", shared), "other");
  const std::vector<std::string> refusals = batch.refusals();
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].starts_with("one; other: only together: NVRTC refuses the kernel"));
  CHECK(refusals[0].find("\"shared\"") != std::string::npos);
}

TEST_CASE("a kernel that NVRTC leaves out, or that the program does not hold, is no pass") {
  if (tests::nvrtc() == nullptr) return;
  tests::KernelBatch batch;
  ir::KernelSource hidden = written("p[0] = 1;");
  hidden.source = "\nextern \"C\" __global__ void first() {}\n#if 0" + hidden.source + "#endif\n";
  for (const tests::CompiledTo to : {tests::CompiledTo::Ptx, tests::CompiledTo::MachineCode}) {
    tests::KernelBatch without(to);
    without.add(hidden, "left out");
    CHECK(without.refusals() == std::vector<std::string>{"left out: it is not in the code"});
  }
  ir::KernelSource other = written("p[0] = 1;");
  other.name = "another";
  batch.add(other, "another");
  const std::vector<std::string> refusals = batch.refusals();
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0] == "another: the program another does not hold its kernel");
}

TEST_CASE("kernels of two architectures are not compiled as one program") {
  ir::KernelSource other = written("p[0] = 1;");
  other.arch = "sm_80";
  CHECK_THROWS_AS(tests::together({written("p[0] = 1;"), other}), ir::Error);
}

TEST_CASE("each declaration of the prelude compiles with no more than what it names: none lives on what others bring along") {
  if (tests::nvrtc() == nullptr) return;
  const std::string_view prelude = codegen::cudaPrelude();
  const auto isOfWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::set<std::string> preludes;
  for (auto at = prelude.begin(); at != prelude.end();) {
    const auto begin = std::find_if(at, prelude.end(), isOfWord);
    at = std::find_if_not(begin, prelude.end(), isOfWord);
    preludes.insert(codegen::cudaPreludeFor(std::string_view(begin, at)));
  }
  CHECK(preludes.size() > 100);
  ir::KernelSource all = written("p[0] = 1;");
  std::string apart;  // each in a namespace of its own, where it sees no other
  for (const std::string& one : preludes) apart += fmt::format("namespace n{} {{\n{}}}\n", apart.size(), one);
  all.source.insert(0, apart);
  all.options.emplace_back("--minimal");
  CHECK_NOTHROW(tests::nvrtc()->ptx(all));
}
