// The two programs of a case, executed: driver.py on a torch that shows what it is asked for, run.sh with a program that does.
#include "opbench/cases/scripts.h"

#include <fmt/format.h>

#include "opbench/cases/case_json.h"
#include "opbench/cases/folder.h"
#include "tests/opbench/process.h"
#include "tests/opbench/repro/repro_bed.h"

using namespace opbench;
using namespace tests;
namespace fs = std::filesystem;

namespace {

/// A torch whose tensors are lists of hexadecimal elements, and whose operators print what they are called with.
constexpr std::string_view fakeTorch = R"python(
import types
__version__ = "2.0 of a test"

class Constant:
    def __init__(self, name, size=0): self.name, self.size = name, size
    def __repr__(self): return f"torch.{self.name}"
class dtype(Constant): pass
class layout(Constant): pass
class memory_format(Constant): pass
class qscheme(Constant): pass
float16, float32, bfloat16, int64 = dtype("float16", 2), dtype("float32", 4), dtype("bfloat16", 2), dtype("int64", 8)
strided, channels_last = layout("strided"), memory_format("channels_last")
per_tensor_affine = qscheme("per_tensor_affine")

class device:
    def __init__(self, name): self.name = str(name)
    def __repr__(self): return f"device({self.name!r})"

class Tensor:
    def __init__(self, items, dtype, where="memory", shape=(), strides=()):
        self.items, self.dtype, self.where, self.shape, self.strides = items, dtype, where, shape, strides
    def __len__(self): return len(self.items)
    def __getitem__(self, part): return Tensor(self.items[part], self.dtype, self.where)
    def __repr__(self): return f"{self.dtype} {list(self.shape)} {list(self.strides)} of {len(self)} on {self.where}: {self.items[:2]}"
    def repeat(self, times): return Tensor(self.items * times, self.dtype, self.where)
    def to(self, where): return Tensor(self.items, self.dtype, where.name)
    def as_strided(self, shape, strides): return Tensor(self.items, self.dtype, self.where, shape, strides)
    def stride(self): return self.strides

def frombuffer(data, dtype): return Tensor([data[i:i + dtype.size].hex() for i in range(0, len(data), dtype.size)], dtype)
def empty(count, dtype): return Tensor([], dtype)

class OpOverload:
    def __call__(self, *arguments, **keywords):
        for argument in arguments: print("argument:", argument)
        for name, argument in keywords.items(): print(name + ":", argument)
        return "called"
class OpOverloadPacket(OpOverload):
    default = OpOverload()
_ops = types.SimpleNamespace(OpOverload=OpOverload, OpOverloadPacket=OpOverloadPacket)
ops = types.SimpleNamespace(aten=types.SimpleNamespace(every=OpOverloadPacket()))
)python";

/// A folder with a case, written as the verb does, and nothing raced.
struct ScriptBed {
  explicit ScriptBed(const std::string& call, const std::string& op = "aten.every.default") {
    run.dtype = ir::DType::F16;
    run.device = "cuda:1";
    run.seed = 7;
    run.program = "/opt/opbench/bin/opbench";
    wanted.sample.op = op;
    inputs::parseCall(call, {"s", 1}, 1, wanted.sample);
    writeFiles(caseFiles(wanted, run), folder.path / "case");
    std::ofstream(folder.path / "torch.py") << fakeTorch;
  }
  Ended drive() const { return runProgram({"python3", "case/driver.py"}, folder.path, {"PYTHONPATH=" + folder.path.string()}); }
  /// What driver.py says once a text of case.json is replaced by another.
  std::string complaint(const std::string& from, const std::string& to) const {
    std::string json = contentOf(folder.path / "case/case.json");
    const size_t at = json.find(from);
    REQUIRE_MESSAGE(at != std::string::npos, from);
    std::ofstream(folder.path / "case/case.json") << json.replace(at, from.size(), to);
    const Ended ended = drive();
    CHECK(ended.status == 1);
    CHECK(ended.out.empty());
    return ended.err;
  }

  TemporaryFolder folder;
  Options run;
  Case wanted;
};

}  // namespace

TEST_CASE("driver.py calls the operator with every kind of argument") {
  if (!hasPython()) return;
  const ScriptBed bed(
      "((T([5, 2], f16, stride=(1, 5)), [None, T([2], i64)], T([0], f32), True, -9223372036854775808, 1e-05, -0.0, inf, -inf, "
      "nan, "
      "(1.5-infj), 'it\\'s \"$(x)\" \\\\ \\n', bf16, 'cpu', torch.strided, torch.channels_last, (1,), (), ([1, 2], 2.0)), "
      "{'from': None, 'accumulate': False, 'd': 'cuda', 't': f32, 'u': T([], f16)})");
  const Ended ended = bed.drive();
  CHECK(ended.err == "");
  CHECK(ended.status == 0);
  const std::string bytes = contentOf(bed.folder.path / "case/inputs/0.bin");
  const std::string first = fmt::format("{:02x}{:02x}", static_cast<uint8_t>(bytes[0]), static_cast<uint8_t>(bytes[1]));
  CHECK(ended.out.starts_with(
      "torch 2.0 of a test\n# aten.every.default\ntorch.ops.aten.every.default(T([5, 2], torch.float16, stride=(1, 5)), "
      "[None, T([2], torch.int64, stride=(1,))], T([0], torch.float32, stride=(1,)), True, -9223372036854775808, 1e-05, -0.0, "
      "inf, "
      "-inf, nan, (1.5-infj), 'it\\'s \"$(x)\" \\\\ \\n', torch.bfloat16, device('cuda:1'), torch.strided, torch.channels_last, "
      "(1,), (), ([1, 2], 2.0), from=None, "));
  CHECK(ended.out.find("argument: torch.float16 [5, 2] [1, 5] of 10 on cuda:1: ['" + first + "', ") != std::string::npos);
  CHECK(ended.out.find("argument: [None, torch.int64 [2] [1] of 2 on cuda:1: ['") != std::string::npos);
  CHECK(
      ended.out.ends_with("\nargument: it's \"$(x)\" \\ \n\nargument: torch.bfloat16\nargument: device('cuda:1')\n"
                          "argument: torch.strided\nargument: torch.channels_last\nargument: (1,)\nargument: ()\n"
                          "argument: ([1, 2], 2.0)\nfrom: None\naccumulate: False\nd: device('cuda:1')\nt: torch.float32\n" +
                          ended.out.substr(ended.out.rfind("u: "))));
  CHECK(ended.out.find("\nu: torch.float16 [] [] of 1 on cuda:1: [") != std::string::npos);
  CHECK(ended.out.ends_with("]\ncalled\n"));
}

TEST_CASE("driver.py repeats what a file holds up to the end of a tensor's storage") {
  if (!hasPython()) return;
  const ScriptBed bed("((T([600, 1000], f16),), {})");
  CHECK(fs::file_size(bed.folder.path / "case/inputs/0.bin") < 2 * 600'000);
  CHECK(bed.drive().out.find("of 600000 on cuda:1") != std::string::npos);
}

TEST_CASE("driver.py shows what happened without control characters") {
  if (!hasPython()) return;
  ScriptBed bed("((1,), {})");
  bed.wanted.record.emplace();
  bed.wanted.record->contender = "opbench";
  bed.wanted.record->status = "wrong";
  bed.wanted.record->reason = "a\x1b[2J \u2028 b\n\"\"\" c";
  writeFiles(caseFiles(bed.wanted, bed.run), bed.folder.path / "case");
  CHECK(bed.drive().out.find("\n# aten.every.default: opbench was wrong: a\\x1b[2J \n#  b\n# \"\"\" c\ntorch.ops.") !=
        std::string::npos);
}

TEST_CASE("driver.py ends with one line where case.json asks for what it does not do") {
  if (!hasPython()) return;
  const std::string call = "((1, f16, torch.strided, 'text', T([2], f16)), {})";
  const auto complaint = [&](const std::string& from, const std::string& to) { return ScriptBed(call).complaint(from, to); };
  CHECK(complaint("\"int\"", "\"eval\"") == "driver.py: case.json has an argument of a kind that is unknown here: 'eval'\n");
  CHECK(complaint("\"int\": 1", "\"int\": 1, \"float\": 1") ==
        "driver.py: case.json has an argument that is no object of one field\n");
  CHECK(complaint("\"strided\"", "\"os\"") ==
        "driver.py: case.json names torch.os, which is none of layout, memory_format, dtype\n");
  CHECK(complaint("\"strided\"", "\"per_tensor_affine\"").find("none of layout") != std::string::npos);
  CHECK(complaint("\"dtype\": \"float16\"", "\"dtype\": \"strided\"") ==
        "driver.py: case.json names torch.strided, which is none of dtype\n");
  for (const char* name : {"os.system", "aten", "aten.every.default.x", "aten.every.__class__ ", "prims.add.default"})
    CHECK(complaint("aten.every.default\",\n \"device", std::string(name) + "\",\n \"device") ==
          "driver.py: case.json names '" + std::string(name) + "', which is no operator of aten\n");
  for (const char* name : {"aten.absent", "aten.every.absent", "aten.every.__class__", "aten.__class__"})
    CHECK(complaint("aten.every.default\",\n \"device", std::string(name) + "\",\n \"device") ==
          "driver.py: torch has no operator " + std::string(name) + "\n");
  CHECK(complaint("\"0.bin\"", "\"../0.bin\"") == "driver.py: case.json names the file '../0.bin', which is none of inputs/\n");
  CHECK(complaint("\"0.bin\"", "\"1.bin\"").starts_with("driver.py: case.json or inputs/ cannot be read: FileNotFoundError: "));
  CHECK(complaint("\"arguments\"", "\"others\"") == "driver.py: case.json or inputs/ cannot be read: KeyError: 'arguments'\n");
  CHECK(complaint("{", "").starts_with("driver.py: case.json or inputs/ cannot be read: JSONDecodeError: "));
}

TEST_CASE("run.sh hands on exactly the words, then the user's") {
  ScriptBed bed("((1,), {})");
  bed.run.tolerances = bed.folder.path / "it's \"mine\" $(touch owned) `x` \\ * .yaml";
  bed.run.device = "cpu";
  writeFiles(caseFiles(bed.wanted, bed.run), bed.folder.path / "case");
  const fs::path show = bed.folder.path / "show";
  std::ofstream(show) << "#!/bin/sh\npwd\nfor word; do printf '%s\\n' \"$word\"; done\nexit 7\n";
  fs::permissions(show, fs::perms::owner_all);
  std::string expected = (bed.folder.path / "case").string() + "\n";
  const std::vector<std::string> words = runWords(bed.run);
  for (size_t i = 1; i < words.size(); ++i) expected += words[i] + "\n";
  const std::string variable = "OPBENCH=" + show.string();
  for (const char* script : {"case/run.sh", "./case/run.sh", "run.sh"}) {
    const fs::path from = bed.folder.path / (std::string(script) == "run.sh" ? "case" : "");
    const Ended ended = runProgram({"sh", script, "--seed", "", "a b", "*", "$(touch owned)"}, from, {variable, "CDPATH=/"});
    CHECK(ended.out == expected + "--seed\n\na b\n*\n$(touch owned)\n");
    CHECK(ended.status == 7);
  }
  CHECK(runProgram({(bed.folder.path / "case/run.sh").string()}, "/", {variable}).out == expected);
  CHECK_FALSE(fs::exists(bed.folder.path / "owned"));
  CHECK_FALSE(fs::exists(bed.folder.path / "case/owned"));
}

TEST_CASE("run.sh without words runs nothing") {
  const ScriptBed bed("((1,), {})");
  std::ofstream(bed.folder.path / "case/run.words") << "";
  const Ended ended = runProgram({"sh", "case/run.sh", "touch", "owned"}, bed.folder.path);
  CHECK(ended.status == 2);
  CHECK(ended.err == "run.sh: run.words names no program\n");
  fs::remove(bed.folder.path / "case/run.words");
  CHECK(runProgram({"sh", "case/run.sh", "touch", "owned"}, bed.folder.path).status != 0);
  CHECK_FALSE(fs::exists(bed.folder.path / "case/owned"));
}

TEST_CASE("what the files of a case cannot hold is refused") {
  const auto refusal = [](const Case& wanted, const Options& run) -> std::string {
    try {
      caseTexts(wanted, run);
    } catch (const ir::Error& error) {
      CHECK(error.kind() == ir::ErrorKind::Input);
      return error.what();
    }
    return "accepted";
  };
  ScriptBed bed("((1,), {})");
  CHECK(refusal(bed.wanted, bed.run) == "accepted");
  bed.run.program = "/opt/a\nb";
  CHECK(refusal(bed.wanted, bed.run) == "run.words cannot hold a word with a line break or a zero byte: '/opt/a\\x0ab'");
  bed.run.program = "/opt/opbench";
  bed.wanted.sample.args = {ir::Argument(std::string("\xff"))};
  CHECK(refusal(bed.wanted, bed.run) ==
        "aten.every.default: a string among its arguments is no UTF-8, which case.json cannot hold");
  bed.wanted.sample.args = {ir::Argument(std::string(300'000, '\n'))};
  CHECK(refusal(bed.wanted, bed.run) == "the sample is a line of 1200020 bytes, more than 1048576");
}

TEST_CASE("the programs are the same for every case, and case.json bears its mark") {
  const ScriptBed a("((1,), {})"), b("((T([2], f16),), {'x': 'y'})", "aten.other.default");
  for (const ScriptBed* bed : {&a, &b}) {
    CHECK(contentOf(bed->folder.path / "case/driver.py") == driverScript());
    CHECK(contentOf(bed->folder.path / "case/run.sh") == runScript());
    CHECK(isCaseJson(contentOf(bed->folder.path / "case/case.json")));
  }
  CHECK_FALSE(isCaseJson("{}"));
  CHECK_FALSE(isCaseJson("[]"));
  CHECK_FALSE(isCaseJson("no JSON"));
  CHECK_FALSE(isCaseJson(R"({"format": 1})"));
}
