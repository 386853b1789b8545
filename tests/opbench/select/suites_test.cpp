#include "opbench/select/suites.h"

#include <doctest/doctest.h>

#include "ir/error.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;
namespace fs = std::filesystem;

namespace {

std::string refusal(const Options& options) {
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
  Options options;
  options.suitesFolder = root.path;
  CHECK(samplePaths(options) == std::vector<std::string>{root.path / "huggingface", root.path / "timm"});
  options.suites = {"timm"};
  CHECK(samplePaths(options) == std::vector<std::string>{root.path / "timm"});
  options.suites = {"tim"};
  CHECK(refusal(options) == "unknown suite 'tim'; did you mean timm? (" + root.path.string() + " has huggingface, timm)");
  options.suites.clear();
  options.inputs = {"a.txt"};
  CHECK(samplePaths(options) == std::vector<std::string>{"a.txt"});
}

TEST_CASE("no suites: what to do") {
  tests::TemporaryFolder root;
  Options options;
  CHECK(refusal(options) == "no suites beside the program; set OPBENCH_SUITES, or give samples with --inputs");
  options.suitesFolder = root.path;
  CHECK(refusal(options) == root.path.string() + ": no suite in this folder");
}
