// Text of results files and logs that would be code, were it pasted into a program: it is refused, or stays data.
#include "tests/opbench/process.h"
#include "tests/opbench/repro/repro_bed.h"

using namespace opbench;
using namespace tests;
namespace fs = std::filesystem;

namespace {

/// As much of torch as driver.py needs before it calls an operator, which there is none of.
const std::string torchWithoutOperators =
    "import types\n"
    "__version__ = 'fake'\n"
    "class Tensor: pass\n"
    "class dtype: pass\n"
    "class device:\n"
    "  def __init__(self, text): pass\n"
    "float16 = dtype()\n"
    "ops = types.SimpleNamespace()\n"
    "_ops = types.SimpleNamespace(OpOverload=type('A', (), {}), OpOverloadPacket=type('B', (), {}))\n";

/// Runs driver.py of the bed's case on that torch. Whether anything of the case was executed, which would make a file `owned`.
bool isExecuted(const ReproBed& bed) {
  bed.write("torch.py", torchWithoutOperators);
  runProgram({"python3", "case/driver.py"}, bed.folder.path, {"PYTHONPATH=" + bed.folder.path.string()});
  return fs::exists(bed.at("owned"));
}

std::string owned(const ReproBed& bed) { return "open('" + bed.at("owned") + "', 'w')"; }

}  // namespace

TEST_CASE("a device that is code is refused before anything is written") {
  ReproBed bed;
  const std::string call = "((T([8], f16),), {})", ok = R"("status":"ok")";
  bed.write("results.jsonl", resultLine("aten.neg.default", call, ok, "cpu\\\"); " + owned(bed) + " #"));
  CHECK(bed.reproRefusal("results.jsonl:1").find("in the results; choose one with --device") != std::string::npos);
  CHECK_FALSE(fs::exists(bed.at("case")));
  bed.write("results.jsonl", resultLine("aten.neg.default", call, ok, "cpu; touch owned"));
  CHECK(bed.reproRefusal("results.jsonl:1").starts_with("unknown device 'cpu; touch owned' in the results"));
  bed.write("results.jsonl", resultLine("aten.neg.default", call, ok, ""));
  CHECK(bed.reproRefusal("results.jsonl:1").starts_with("unknown device '' in the results"));
}

TEST_CASE("a keyword that is code is refused where it is read") {
  ReproBed bed;
  const std::string call = "((T([8], f16),), {\"x=" + owned(bed) + ", y\": 1})";
  bed.write("log.txt", "Operator: aten.neg.default\ncnt: 1, " + call + "\n");
  CHECK(bed.reproRefusal("log.txt").starts_with("log.txt:2:"));
  CHECK(bed.reproRefusal("log.txt").find(": expected a keyword's name, found 'x=open(") != std::string::npos);
  CHECK_FALSE(fs::exists(bed.at("case")));
}

TEST_CASE("a reason that is code in another encoding stays a remark") {
  if (!hasPython()) return;
  for (const char* lineBreak : {"\\\\u000a", "\\n", "\\r", "\\u2028", "\\u0085", "\\u0000", "\\f"}) {
    ReproBed bed;
    const std::string reason = std::string("coding: raw_unicode_escape\\n") + lineBreak + owned(bed) + lineBreak;
    bed.write("results.jsonl",
              resultLine("aten.neg.default", "((T([8], f16),), {})", R"("status":"error","reason":")" + reason + "\""));
    CHECK_FALSE(bed.reproduces("results.jsonl:1"));
    CHECK_FALSE_MESSAGE(isExecuted(bed), reason);
    const inputs::Samples read = inputs::parseFile(bed.content("sample.txt"), "sample.txt", "");
    CHECK(read.samples.size() == 1);
    CHECK(read.errors.empty());
  }
}

TEST_CASE("a program whose path is code is started, and the path is not evaluated") {
  ReproBed bed;
  const std::string path = bed.at("a $(touch owned) `touch owned` \"; touch owned; \" ' ${HOME} }");
  fs::create_directory(path);
  std::ofstream(path + "/show") << "#!/bin/sh\nfor word; do printf '%s\\n' \"$word\"; done\n";
  fs::permissions(path + "/show", fs::perms::owner_all);
  Options options;
  options.program = path + "/show";
  CHECK(bed.reproduces("one.txt", options));
  const Ended ended = runProgram({"sh", "case/run.sh", "last $(touch owned)"}, bed.folder.path);
  CHECK(ended.status == 0);
  CHECK(ended.out.starts_with("--inp-file\nsample.txt\n"));
  CHECK(ended.out.ends_with("--json\nresult.jsonl\nlast $(touch owned)\n"));
  CHECK_FALSE(fs::exists(bed.at("owned")));
  CHECK_FALSE(fs::exists(bed.at("case/owned")));
}
