// The contender inductor, in the program itself. Where OPBENCH_PYTHON names a Python with torch, Inductor compiles; elsewhere
// rows say that there is none.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "tests/opbench/program_bed.h"
#include "tests/runtime/program/models.h"

using namespace tests;

namespace {

/// An operator that makes a tensor, one that writes its argument, one with results of two dtypes, and a library call.
constexpr const char* samples =
    "Operator: aten.neg.default\n"
    "cnt: 1, ((T([64, 32], f32),), {})\n"
    "Operator: aten.add_.Tensor\n"
    "cnt: 1, ((T([64, 32], f32), T([32], f32)), {'alpha': 2})\n"
    "Operator: aten.max.dim\n"
    "cnt: 1, ((T([64, 32], f32), 1), {})\n"
    "Operator: aten.mm.default\n"
    "cnt: 1, ((T([64, 32], f32), T([32, 16], f32)), {})\n";

/// Takes OPBENCH_PYTHON away for as long as it lives.
class WithoutPython {
 public:
  WithoutPython() { setenv(variable, "/no/such/python", 1); }
  ~WithoutPython() {
    if (before_.empty())
      unsetenv(variable);
    else
      setenv(variable, before_.c_str(), 1);
  }

 private:
  static constexpr const char* variable = "OPBENCH_PYTHON";
  std::string before_ = std::getenv(variable) == nullptr ? "" : std::getenv(variable);
};

}  // namespace

TEST_CASE("without a Python that has torch, inductor's rows say so, and the others race") {
  const ProgramBed bed(0);
  std::ofstream(bed.folder.path / "samples.txt") << samples;
  const WithoutPython without;
  CHECK(bed.run({"--contenders", "eager,opbench,inductor", "--compilers", "1"}) == 0);
  const std::string lines = contentOf(bed.json());
  CHECK(lines.find("\"contender\":\"inductor\",\"kind\":\"generated\"") == std::string::npos);
  CHECK(lines.find("no Inductor: cannot start a process: /no/such/python") != std::string::npos);
  CHECK(lines.find("\"contender\":\"opbench\",\"kind\":\"generated\",\"status\":\"ok\"") != std::string::npos);
  CHECK(lines.find("\"kind\":\"fallback\",\"status\":\"ok\"") != std::string::npos);
  CHECK(lines.find("inferred wrongly") == std::string::npos);
}

TEST_CASE("Inductor compiles calls ahead of their turn, those that write their arguments too, and is right") {
  const char* python = std::getenv("OPBENCH_PYTHON");
  if (python == nullptr) {
    MESSAGE("OPBENCH_PYTHON is not set: Inductor is not tried");
    return;
  }
  const ProgramBed bed(0, /*hasCache=*/true);
  std::ofstream(bed.folder.path / "samples.txt") << samples;
  const std::vector<std::string> words{"--contenders", "eager,opbench,inductor", "--compilers", "1"};
  CHECK(bed.run(words) == 0);
  const auto count = [&](const std::string& text) {
    const std::string lines = contentOf(bed.json());
    int found = 0;
    for (size_t at = lines.find(text); at != std::string::npos; at = lines.find(text, at + 1)) ++found;
    return found;
  };
  CHECK(count("\"contender\":\"inductor\",\"kind\":\"generated\",\"status\":\"ok\"") == 4);
  CHECK(bed.out().find("geometric mean over inductor: 4 samples") != std::string::npos);
  CHECK(bed.out().find("geometric mean over the best of the others: 4 samples") != std::string::npos);
}

TEST_CASE("Inductor compiles networks ahead of their turn, from the graph of a run") {
  if (std::getenv("OPBENCH_PYTHON") == nullptr) {
    MESSAGE("OPBENCH_PYTHON is not set: Inductor is not tried");
    return;
  }
  const ProgramBed bed(0);
  CHECK(
      bed.program({"model", "one=" + smallModelPath("mlp"), "two=" + smallModelPath("mlp_training"), "--training", "--optimizer",
                   "sgd", "--device", "cpu", "--repeat", "1", "--contenders", "eager,inductor", "--json", bed.json()}) == 0);
  const std::string lines = contentOf(bed.json());
  CHECK(lines.find("\"precompiled\":true") != std::string::npos);
  CHECK(lines.find("\"status\":\"unsupported\"") == std::string::npos);
}

TEST_CASE("a step of training that drops out races with Inductor's own numbers, and is right with eager's") {
  if (std::getenv("OPBENCH_PYTHON") == nullptr) {
    MESSAGE("OPBENCH_PYTHON is not set: Inductor is not tried");
    return;
  }
  const ProgramBed bed(0);
  CHECK(bed.program({"model", "small=" + smallModelPath("mlp_training"), "--training", "--no-inference", "--optimizer", "adam",
                     "--device", "cpu", "--repeat", "1", "--contenders", "eager,inductor", "--json", bed.json()}) == 0);
  const std::string lines = contentOf(bed.json());
  CHECK(lines.find("\"contender\":\"inductor\",\"kind\":\"generated\",\"status\":\"ok\"") != std::string::npos);
  CHECK(lines.find("draws its own random numbers; checked with eager's") != std::string::npos);
}
