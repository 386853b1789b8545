// A challenge by the program itself: the folder that it writes, and the verdict on what somebody makes of it.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "inputs/files.h"
#include "opbench/challenge/statement.h"
#include "tests/opbench/program_bed.h"
#include "tests/refusal.h"
#include "tests/runtime/sample.h"

namespace fs = std::filesystem;

namespace {

using opbench::Statement;

/// A challenge of a small softmax, with its commands.
struct ChallengeBed : tests::ProgramBed {
  ChallengeBed() : ProgramBed(1) {
    std::ofstream(sample) << "Operator: aten._softmax.default\ncnt: 1, ((T([64, 96], f32), -1, False), {})\n";
  }

  int challenge(const std::vector<std::string>& words) const {
    std::vector<std::string> all{"challenge"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--device", "cpu", "--threads", "1", "--max-time", "0.05", "--cache", cacheSettings().folder});
    return program(all);
  }
  /// A compiler that compiles each text once.
  std::string patientCompiler() const {
    const fs::path file = folder.path / "compiler";
    std::ofstream(file) << "#!/bin/sh\nkept=\"$0-$(cksum <\"$6\" | tr ' ' -)\"\n"
                           "[ -e \"$kept\" ] || { g++ \"$@\" && cp \"$8\" \"$kept\"; } && cp \"$kept\" \"$8\"\n";
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }
  void write(const std::string& file, const std::string& text) const { std::ofstream(made / file) << text; }
  std::string read(const std::string& file) const { return inputs::readFile(made / file); }

  fs::path sample = folder.path / "softmax.txt", made = folder.path / "faster";
};

// An operator of several minds, by a variable.
constexpr const char* solution = R"(
#include <ATen/ops/_softmax.h>
#include <torch/library.h>

#include <cstdlib>
#include <map>
#include <string>

at::Tensor mine(const at::Tensor& self, int64_t dim, bool half_to_float) {
  const std::string mind = std::getenv("CHALLENGE_MIND");
  static std::map<const void*, at::Tensor> kept;
  if (mind == "keeps" && kept.count(self.const_data_ptr()) != 0) return kept[self.const_data_ptr()];
  at::Tensor result = at::_softmax(self, dim, half_to_float);
  if (mind == "wrong") result.select(0, -1).zero_();
  if (mind == "keeps") kept[self.const_data_ptr()] = result;
  return result;
}

TORCH_LIBRARY(challenge, library) { library.def("mine(Tensor self, int dim, bool half_to_float) -> Tensor", &mine); }
)";

Statement statementOf(const std::string& op, const std::string& call) {
  return opbench::statementOf(tests::sample(op, call), ir::Backend::Cpu);
}

}  // namespace

TEST_CASE("a challenge is written, filled in, and judged: what is right is accepted, and what cheats is not") {
  const ChallengeBed bed;
  REQUIRE_MESSAGE(bed.challenge({bed.sample, "--out", bed.made}) == 0, bed.err());
  CHECK(bed.read("README.md").find("| eager | ") != std::string::npos);
  CHECK(bed.read("README.md").find("size 96 is 95") != std::string::npos);
  CHECK(bed.read("reference.py")
            .ends_with("return torch.ops.aten._softmax.default(self=self, dim=dim, half_to_float=half_to_float)\n"));
  CHECK(bed.read("check.sh").find("challenge \"$(dirname \"$0\")\"") != std::string::npos);

  CHECK(bed.challenge({bed.made}) == 2);
  CHECK(bed.err() ==
        "opbench: error: " + bed.made.string() + " has no solution: mine.py, mine.cu and mine.cpp are as they were written\n");
  CHECK(bed.challenge({bed.sample, "--out", bed.made}) == 2);
  CHECK(bed.err() == "opbench: error: " + bed.made.string() + " is not empty; choose another folder with --out\n");

  bed.write("mine.cpp", solution);
  ::setenv("CXX", bed.patientCompiler().c_str(), 1);
  const auto verdict = [&](const char* mind, const std::vector<std::string>& words) {
    ::setenv("CHALLENGE_MIND", mind, 1);
    const int status = bed.challenge(words);
    ::unsetenv("CHALLENGE_MIND");
    CHECK_MESSAGE(status == (mind == std::string("honest") ? 0 : 1), mind, ": ", bed.out(), bed.err());
    return bed.out();
  };
  CHECK(verdict("wrong", {bed.made}).find("mine.cpp: not accepted: wrong: output 0 is wrong at [63, ") != std::string::npos);
  CHECK(verdict("keeps", {bed.made}).find("mine.cpp: not accepted: wrong: ") != std::string::npos);
  // Whoever judges has the sample from elsewhere: the folder's may be an easier one.
  bed.write("sample.txt", "Operator: aten.neg.default\ncnt: 1, ((T([2], f32),), {})\n");
  const std::string honest = verdict("honest", {bed.sample, "--judge", bed.made});
  CHECK(honest.starts_with("aten._softmax.default ((T([64, 96], f32), -1, False), {})\n"));
  CHECK(honest.find("mine.cpp: accepted") != std::string::npos);
  bed.write("mine.cpp", "nonsense\n");
  CHECK(verdict("nonsense", {bed.sample, "--judge", bed.made}).find("mine.cpp: not accepted: it does not compile: ") !=
        std::string::npos);
  ::unsetenv("CXX");
}

TEST_CASE("the reference of a region is its calls, and what a file calls its values gets into no program") {
  const Statement statement =
      statementOf("region.r",
                  "((T([4], f32), T([4], f32)), {'graph': 'graph\\x0a  in lambda f32[4]\\x0a  in x1 f32[4]\\x0a  y0 f32[4] = "
                  "aten.add.Tensor(self=lambda, other=x1, alpha=1)\\x0a  y1 f32[4] = aten.div.Tensor_mode(self=y0, other=x1, "
                  "rounding_mode=\"floor\")\\x0a  return y1\\x0a'})");
  CHECK(statement.reference ==
        "\"\"\"What is to be computed: eager ATen's calls.\"\"\"\n\nimport torch\n\n\n"
        "def reference(value0, x1):\n"
        "    y0 = torch.ops.aten.add.Tensor(self=value0, other=x1, alpha=1)\n"
        "    y1 = torch.ops.aten.div.Tensor_mode(self=y0, other=x1, rounding_mode='floor')\n"
        "    return y1\n");
  CHECK(statement.python.ends_with("def mine(value0, x1):\n    return reference(value0, x1)\n"));
  CHECK(statement.cpp.find("at::Tensor mine(const at::Tensor& value0, const at::Tensor& x1) {") != std::string::npos);
  CHECK(statement.shapes.find("| `x1` | float32 | [4] | (1) |") != std::string::npos);
}

TEST_CASE("the files of a call have its schema's arguments") {
  const Statement statement =
      statementOf("aten.native_layer_norm.default", "((T([8, 16], f32), [16], T([16], f32), None, 1e-05), {})");
  CHECK(statement.reference.find("def reference(input, normalized_shape, weight, bias, eps):\n") != std::string::npos);
  CHECK(statement.cpp.find("std::tuple<at::Tensor, at::Tensor, at::Tensor> mine(const at::Tensor& input, c10::List<int64_t> "
                           "normalized_shape, std::optional<at::Tensor> weight, std::optional<at::Tensor> bias, double eps) {") !=
        std::string::npos);
  CHECK(statement.cpp.find(
            "mine(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, "
            "Tensor)") != std::string::npos);
  CHECK(statement.cuda.find("arguments: out0, out1, out2, input, weight, numel(out0)") != std::string::npos);
}
