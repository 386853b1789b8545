#include "runtime/program/traced.h"

#include <ATen/Functions.h>
#include <doctest/doctest.h>
#include <torch/csrc/jit/api/module.h>

#include <filesystem>

#include "runtime/program/draw.h"
#include "runtime/program/extents.h"
#include "runtime/program/script.h"
#include "tests/refusal.h"
#include "tests/runtime/program/models.h"

using namespace runtime;

namespace {

/// A TorchScript file in a folder of its own, removed at the end.
class ScriptFile {
 public:
  explicit ScriptFile(const std::string& source) {
    torch::jit::Module module("Net");
    module.register_parameter("weight", at::full({3}, 2.0), false);
    module.register_parameter("tied", module.attr("weight").toTensor(), false);
    module.register_buffer("shift", at::ones({3}));
    module.define(source);
    module.save(path());
  }
  ~ScriptFile() { std::filesystem::remove(path()); }
  ScriptFile(const ScriptFile&) = delete;
  ScriptFile& operator=(const ScriptFile&) = delete;
  std::string path() const {
    return std::filesystem::temp_directory_path() / ("opbench_script_" + std::to_string(::getpid()) + ".pt");
  }
};

constexpr const char* affine = R"(
def forward(self, x):
    return x * self.weight + self.shift, x.sum()
)";

}  // namespace

TEST_SUITE("programs and TorchScript") {
  TEST_CASE("a traced program is the program, but for how a product and its bias are rounded") {
    for (const char* name : {"resnet18", "resnet18_training", "bert_base", "gpt2"}) {
      CAPTURE(std::string(name));
      const auto program = openProgram(tests::modelPath(name));
      const bool isText = program->inputs()[0].dtype == at::kLong;
      const auto inputs = drawInputs(*program, bindExtents(program->inputs(), 2, isText ? 8 : 224).sizes, 1, at::kCPU);
      const auto state = drawState(*program, 1, at::kCPU);
      const auto script = traced(*program, state, inputs);
      const auto ours = drawState(*program, 1, at::kCPU), theirs = drawState(*program, 1, at::kCPU);
      const at::NoGradGuard noGrad;
      // TorchScript's executor may take addmm apart.
      CHECK(at::allclose(program->run(ours, inputs)[0], script->run(theirs, inputs)[0], 1e-5, 1e-5));
      for (size_t i = 0; i < ours.size(); ++i) CHECK(ours[i].equal(theirs[i]));  // statistics of batch norms, too
    }
  }

  TEST_CASE("a TorchScript file is a program whose inputs the caller describes") {
    const ScriptFile file(affine);
    const auto program = openProgram(file.path(), {parseInput("f32:2,3", "x")});
    REQUIRE(program->state().size() == 2);  // tied weights are one
    CHECK(program->state()[0].role == Role::Parameter);
    CHECK(program->state()[1].role == Role::Buffer);
    CHECK(program->inputs()[0].name == "x");
    CHECK(program->outputNames().size() == 2);
    const at::Tensor x = at::ones({2, 3});
    CHECK(program->run(drawState(*program, 1, at::kCPU), {x})[0].equal(at::full({2, 3}, 3.0)));
    CHECK(program->run({at::full({3}, 5.0), at::zeros({3})}, {x})[0].equal(at::full({2, 3}, 5.0)));
  }

  TEST_CASE("what a TorchScript file lacks or may not call is one line") {
    const auto refused = [](ir::ErrorKind kind, const std::string& source, const std::vector<std::string>& inputs) {
      const ScriptFile file(source);
      const std::string text = tests::refusal(kind, [&] {
        std::vector<ProgramInput> described;
        for (const std::string& input : inputs) described.push_back(parseInput(input, "input"));
        openProgram(file.path(), described);
      });
      return text.starts_with(file.path()) ? "FILE" + text.substr(file.path().size()) : text;
    };
    using enum ir::ErrorKind;
    CHECK(refused(Input, affine, {}) ==
          "FILE is TorchScript, which does not describe its inputs: give each of them, as in --input f32:2,3,224,224");
    CHECK(refused(Input, affine, {"f32:2,3", "f32:2,3"}) == "FILE takes 1 inputs, 2 are given");
    CHECK(refused(Input, affine, {"f32:2,x"}) == "'f32:2,x' describes no input as f32:2,3,224,224 does");
    CHECK(refused(Unsupported, "def forward(self, x):\n  return torch.from_file('/etc/passwd', False, 10) + x\n", {"f32:2"}) ==
          "FILE: __torch__.Net.forward calls what it may not: aten.from_file is refused: it maps a file");
    CHECK(refused(Unsupported, "def forward(self, x):\n  return [x]\n", {"f32:2"}) ==
          "FILE returns a List[Tensor]: a program returns a tensor or a tuple of tensors");
  }
}
