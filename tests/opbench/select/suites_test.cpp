#include "opbench/select/suites.h"

#include <doctest/doctest.h>

#include <fstream>
#include <set>

#include "ir/error.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;
namespace fs = std::filesystem;

namespace {

std::string refusal(const SelectionSettings& options) {
  try {
    samplePaths(options);
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("suites are the folders beside the program, or where OPBENCH_SUITES says") {
  tests::TemporaryFolder root;
  Environment e;
  e.program = root.path / "bin/opbench";
  CHECK(findSuites(e) == "");
  fs::create_directories(root.path / "bin/recorded");
  CHECK(findSuites(e) == root.path / "bin/recorded");
  fs::create_directories(root.path / "share/opbench/recorded");
  CHECK(findSuites(e) == root.path / "share/opbench/recorded");
  e.suites = "/elsewhere";
  CHECK(findSuites(e) == "/elsewhere");
}

TEST_CASE("samples are read from the suites asked for, from all, or from --inputs") {
  tests::TemporaryFolder root;
  for (const char* suite : {"timm", "huggingface"}) fs::create_directories(root.path / suite);
  SelectionSettings options;
  options.suitesFolder = root.path;
  CHECK(samplePaths(options) == std::vector<std::string>{root.path / "huggingface", root.path / "timm"});
  options.suites = {"timm"};
  CHECK(samplePaths(options) == std::vector<std::string>{root.path / "timm"});
  options.suites = {"tim"};
  CHECK(refusal(options) == "unknown suite 'tim'; did you mean timm? (" + root.path.string() + " has huggingface, timm)");
  fs::create_directories(root.path / "regions");
  options.suites = {"regions"};
  CHECK(samplePaths(options) == std::vector<std::string>{root.path / "regions"});
  options.suites.clear();  // regions has the same calls once more
  CHECK(samplePaths(options) == std::vector<std::string>{root.path / "huggingface", root.path / "timm"});
  options.inputs = {"a.txt"};
  CHECK(samplePaths(options) == std::vector<std::string>{"a.txt"});
}

TEST_CASE("of suites that are recorded in several dtypes, a run reads those of its own") {
  tests::TemporaryFolder root;
  fs::create_directories(root.path / "timm");
  const auto write = [&](const std::string& name, const std::string& sizes) {
    std::ofstream(root.path / "timm" / name) << "Operator: aten.relu.default\ncnt: 1, ((T(" << sizes << ", f32),), {})\n";
  };
  write("vit_float16.txt", "[1]");
  write("vit_amp.txt", "[2]");
  write("llama_bfloat16.txt", "[5]");
  write("vit_float32.txt", "[3]");
  write("written.txt", "[4]");
  SelectionSettings options;
  options.suitesFolder = root.path;
  const auto read = [&](ir::DType dtype) {
    std::set<std::string> calls;
    for (const inputs::Sample& sample : readSamples(options, dtype).samples) calls.insert(sample.recorded);
    return calls;
  };
  const std::set<std::string> half{"((T([1], f32),), {})", "((T([2], f32),), {})", "((T([4], f32),), {})",
                                   "((T([5], f32),), {})"};
  const std::set<std::string> full{"((T([3], f32),), {})", "((T([4], f32),), {})"};
  CHECK(read(ir::DType::F16) == half);
  CHECK(read(ir::DType::BF16) == half);
  CHECK(read(ir::DType::F32) == full);
  CHECK(read(ir::DType::F64) == full);
  options.inputs = {(root.path / "timm").string()};  // samples of one's own are all read
  CHECK(read(ir::DType::F32).size() == 5);
}

TEST_CASE("no suites: what to do") {
  tests::TemporaryFolder root;
  SelectionSettings options;
  CHECK(refusal(options) == "no suites beside the program; set OPBENCH_SUITES, or give samples with --inputs");
  options.suitesFolder = root.path;
  CHECK(refusal(options) == root.path.string() + ": no suite in this folder");
}
