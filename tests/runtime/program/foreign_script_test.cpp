// TorchScript of other people: what it may not have is refused before any of it runs.
#include <ATen/Functions.h>
#include <doctest/doctest.h>

#include <filesystem>

#include "inputs/files.h"
#include "runtime/program/script.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"
#include "tests/runtime/program/script_file.h"

using namespace runtime;

namespace {

struct ScriptBed {
  std::unique_ptr<Program> open(const std::string& bytes) const {
    inputs::writeFile(file(), bytes);
    return openProgram(file(), {parseInput("f32:2,3", "x")});
  }
  /// Why a file is refused, without its name.
  std::string refused(const std::string& bytes) const {
    const std::string text = tests::refusal(ir::ErrorKind::Unsupported, [&] { open(bytes); });
    return text.starts_with(file() + ": ") ? text.substr(file().size() + 2) : text;
  }
  std::string file() const { return folder.path / "net.pt"; }
  /// What the refused code would write.
  std::string target() const { return folder.path / "written"; }
  std::string save() const { return "torch.save(\"text\", \"" + target() + "\")"; }
  ~ScriptBed() { CHECK_FALSE(std::filesystem::exists(target())); }

  tests::TemporaryFolder folder;
};

constexpr const char* identity = "  def forward(self: __torch__.Net, x: Tensor) -> Tensor:\n    return torch.mul(x, 2)\n";

}  // namespace

TEST_SUITE("TorchScript of other people") {
  TEST_CASE("methods, functions, loops, objects, forked calls and default values that are written out are read, and run") {
    const ScriptBed bed;
    const auto program = bed.open(tests::scriptOf(
        R"(op_version_set = 1
class Net(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  inner : __torch__.Inner
  scale : Final[float] = 2.
  def forward(self: __torch__.Net, x: Tensor, times: int=3, rate: float=-0.5, names: List[str]=["a"]) -> Tensor:
    def __forked_function():
      return __torch__.twice(x, )
    _0 = fork(__forked_function)
    y = torch.wait(_0)
    for _1 in range(times):
      y = torch.add(y, (self.inner).step(x, ))
    return y
class Inner(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  def step(self: __torch__.Inner, x: Tensor) -> Tensor:
    return torch.mul(x, 2)
def twice(x: Tensor) -> Tensor:
  return torch.mul(x, 2)
)",
        tests::pickledAttribute("inner", tests::pickledObject("Inner", tests::pickledAttribute("training", "\x88")))));
    CHECK(program->run({}, {at::ones({2, 3})})[0].equal(at::full({2, 3}, 8.0)));
  }

  TEST_CASE("a method behind an interface is refused, as it may be any") {
    const ScriptBed bed;
    CHECK(
        bed.refused(tests::scriptOf(R"(class Net(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  inner : __torch__.Step
  def forward(self: __torch__.Net, x: Tensor) -> Tensor:
    return (self.inner).step(x, )
class Inner(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  def step(self: __torch__.Inner, x: Tensor) -> Tensor:
    )" + bed.save() + R"(
    return x
class Step(ModuleInterface):
  def step(self, x: Tensor) -> Tensor:
    pass
)",
                                    tests::pickledAttribute(
                                        "inner", tests::pickledObject("Inner", tests::pickledAttribute("training", "\x88"))))) ==
        "code/__torch__.py:15: class Step is an interface, behind which any method may be called");
  }

  TEST_CASE("what torch would run while it reads the file is refused") {
    const ScriptBed bed;
    CHECK(
        bed.refused(tests::scriptWith(identity, "  def __setstate__(self: __torch__.Net, state: Tuple[bool]) -> NoneType:\n    " +
                                                    bed.save() + "\n    return None\n")) ==
        "code/__torch__.py:7: class Net has a method __setstate__, which torch runs while it reads the file");
    CHECK(bed.refused(tests::scriptWith("  def forward(self: __torch__.Net, x: Tensor, y: NoneType=" + bed.save() +
                                        ") -> Tensor:\n    return x\n")) ==
          "code/__torch__.py:5: a default value is computed, which torch does while it reads the file");
    // Its reader takes upper for lower case.
    std::string upper = tests::scriptWith("  def __setstate__(self: __torch__.Net, state: bool) -> NoneType:\n    return None\n");
    for (size_t at = upper.find("torch__.py"); at != std::string::npos; at = upper.find("torch__.py", at))
      upper.replace(at + 8, 2, "PY");
    CHECK(bed.refused(upper).starts_with("code/__torch__.PY:5: class Net has a method __setstate__"));
    CHECK(bed.refused(tests::scriptWith("  scale : Final[float] = torch.add(1., 2.)\n", identity)) ==
          "code/__torch__.py:5: a constant of a class is computed, which torch does while it reads the file");
  }

  TEST_CASE("C++ classes are refused, in sources and among objects") {
    const ScriptBed bed;
    CHECK(bed.refused(tests::scriptWith(
              identity,
              "  def other(self: __torch__.Net, x: __torch__.torch.classes.quantized.LinearPackedParamsBase) "
              "-> Tensor:\n    return torch.zeros([1])\n")) == "code/__torch__.py:7: it uses a C++ class (torch.classes)");
    for (const char* name : {"c__torch__.torch.classes.rnn\nCellParamsBase\n", "c__torch__.torch\nclasses.rnn.CellParamsBase\n"})
      CHECK(bed.refused(tests::scriptOf(std::string("class Net(Module):\n  training : bool\n") + identity,
                                        tests::pickledAttribute("cell", name))) ==
            "data.pkl: it holds an object of a C++ class (torch.classes)");
  }

  TEST_CASE("calls that do more than compute are refused wherever they stand") {
    const ScriptBed bed;
    const auto calling = [&](const std::string& call) {
      return bed.refused(
          tests::scriptWith("  def forward(self: __torch__.Net, x: Tensor) -> Tensor:\n    " + call + "\n    return x\n"));
    };
    const std::string forward = "__torch__.Net.forward calls ";
    CHECK(calling(bed.save()) == forward + "aten.save, which does more than compute");
    CHECK(calling("torch.manual_seed(1)") == forward + "aten.manual_seed, which does more than compute");
    CHECK(calling("print(x)") == forward + "'prim::Print', which programs may not");
    CHECK(calling("y = ops.prim.TimePoint()") == forward + "'prim::TimePoint', which programs may not");
    CHECK(calling("if bool(torch.gt(torch.sum(x), 0)):\n      " + bed.save() + "\n    else:\n      pass") ==
          forward + "aten.save, which does more than compute");
    // In a method that nothing calls, in a function, in the body of a forked call.
    CHECK(bed.refused(tests::scriptWith(
              identity, "  def other(self: __torch__.Net) -> NoneType:\n    " + bed.save() + "\n    return None\n")) ==
          "__torch__.Net.other calls aten.save, which does more than compute");
    CHECK(
        bed.refused(tests::scriptWith("  def forward(self: __torch__.Net, x: Tensor) -> Tensor:\n    return __torch__.bad(x, )\n",
                                      "def bad(x: Tensor) -> Tensor:\n  " + bed.save() + "\n  return x\n")) ==
        "__torch__.bad calls aten.save, which does more than compute");
    CHECK(calling("def __forked_function():\n      " + bed.save() +
                  "\n      return x\n    _0 = fork(__forked_function)\n    x = torch.wait(_0)") ==
          forward + "aten.save, which does more than compute");
  }

  TEST_CASE("a file that begins as torch's form without sources is read as what it is checked as") {
    const ScriptBed bed;
    std::string bytes = tests::scriptWith(identity);
    bytes.replace(4, 4, "PTMF");
    CHECK(bed.open(bytes)->run({}, {at::ones({2, 3})})[0].equal(at::full({2, 3}, 2.0)));
  }
}
