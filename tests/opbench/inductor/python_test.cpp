// Pythons that are shell scripts: descriptor 3 is the channel.
#include "opbench/inductor/python.h"

#include <doctest/doctest.h>

#include <fstream>

#include "opbench/inductor/inductor.h"
#include "tests/cache_settings.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"

using namespace opbench;
namespace fs = std::filesystem;

namespace {

constexpr const char* hasTorch = "echo '{\"torch\":\"2.11.0+cu130\"}' >&3\n";

/// A program that is called python, in a folder of its own.
struct Bed {
  explicit Bed(const std::string& script) {
    std::ofstream(program()) << "#!/bin/bash\n" << script;
    fs::permissions(program(), fs::perms::owner_all);
  }
  std::string program() const { return folder.path / "python"; }
  std::string refusal(double seconds = 60) const {
    Python python(program(), "2.11.0", "cpu");
    return tests::refusal(ir::ErrorKind::Unsupported, [&] { python.compile("{\"device\":\"cpu\"}", "f.pt2", seconds); });
  }

  tests::TemporaryFolder folder;
};

ir::Graph exampleGraph() {
  ir::Graph graph;
  graph.values = {{"self", ir::TensorType::contiguous(ir::DType::F32, {8})},
                  {"out0", ir::TensorType::contiguous(ir::DType::F32, {8})}};
  graph.inputs = {0};
  graph.nodes.push_back({"aten.neg.default", {{"self", ir::ValueRef{0}}}, {1}, {}});
  graph.outputs = {1};
  return graph;
}

}  // namespace

TEST_CASE("a Python that is missing, has no torch, or another one, is named; it is not asked twice") {
  Python missing("/no/such/python", "2.11.0", "cpu");
  for (int i = 0; i < 2; ++i)
    CHECK(tests::refusal(ir::ErrorKind::Unsupported, [&] { missing.compile("{}", "f.pt2", 60); }) ==
          "no Inductor: cannot start a process: /no/such/python: No such file or directory "
          "(OPBENCH_PYTHON names the Python whose torch compiles)");
  const Bed without("echo '{\"failure\":\"ModuleNotFoundError: No module\"}' >&3\n"), older("echo '{\"torch\":\"2.9.1\"}' >&3\n");
  CHECK(without.refusal().starts_with("no Inductor: " + without.program() + " cannot compile: ModuleNotFoundError: No module ("));
  CHECK(older.refusal().starts_with("no Inductor: " + older.program() + " has torch 2.9.1, not 2.11.0 ("));
}

TEST_CASE("what Inductor says is the reason; a Python that ends, is late or talks nonsense is told in one line") {
  const std::string asked = std::string(hasTorch) + "read -r line <&3\n";
  CHECK(Bed(asked + "echo '{\"failure\":\"LoweringException: no\"}' >&3\n").refusal() == "Inductor: LoweringException: no");
  CHECK(Bed(asked + "echo out of luck >&2; exit 3\n").refusal() ==
        "Inductor: Python ended: exit status 3; its last output: out of luck");
  CHECK(Bed(asked + "echo nonsense >&3\nread -r line <&3\n").refusal() == "Inductor: Python answered something else");
  CHECK(Bed(asked + "sleep 1000\n").refusal(0.5) == "Inductor: it compiles for more than 0.5 s (--timeout)");
}

TEST_CASE("after a graph that ended it, another Python compiles the next one") {
  const Bed bed("if [ -e \"$0.once\" ]; then " + std::string(hasTorch) +
                "read -r line <&3; echo '{\"seconds\":0.25}' >&3; read -r line <&3\nfi\ntouch \"$0.once\"; " + hasTorch +
                "read -r line <&3\n");
  Python python(bed.program(), "2.11.0", "cpu");
  CHECK(tests::refusal(ir::ErrorKind::Unsupported, [&] {
          python.compile("{\"a\":1}", "f.pt2", 60);
        }).starts_with("Inductor: Python ended: exit status"));
  CHECK(python.compile("{\"a\":1}", "f.pt2", 60) == 0.25);
}

TEST_CASE("a Python that computes on the GPU says so, until it ends; it is told the processors that may compile") {
  const Bed bed(std::string(hasTorch) + "read -r line <&3; echo \"$line\" > \"$0.asked\"\n" +
                "echo '{\"seconds\":1,\"gpu\":true}' >&3; read -r line <&3; exit 3\n");
  Python python(bed.program(), "2.11.0", "cpu", {4, 5});
  CHECK_FALSE(python.usesGpu());
  python.compile("{\"a\":1}", "f.pt2", 60);
  CHECK(python.usesGpu());
  std::ifstream asked(bed.program() + ".asked");
  std::string line;
  std::getline(asked, line);
  CHECK(line == "{\"file\":\"f.pt2\",\"processors\":[4,5],\"a\":1}");
  tests::refusal(ir::ErrorKind::Unsupported, [&] { python.compile("{\"a\":1}", "f.pt2", 60); });
  CHECK_FALSE(python.usesGpu());
}

TEST_CASE("a graph is compiled once: its package is in the cache, by graph, settings, torch and target") {
  // Each request is kept; the package is the number of the request.
  const Bed bed(std::string(hasTorch) +
                "while read -r line <&3; do echo \"$line\" >> \"$0.asked\"\n"
                "  file=${line#*\\\"file\\\":\\\"}; file=${file%%\\\"*}; wc -l < \"$0.asked\" > \"$file\"\n"
                "  echo '{\"seconds\":2.5}' >&3; done\n");
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  const ir::Target target = ir::targetOf("haswell");
  const auto compiled = [&](const InductorSettings& settings, const ir::Target& target) {
    return Inductor(settings, target, cache).compile(exampleGraph());
  };
  const InductorSettings settings{bed.program(), "2.11.0", {}, 60};
  const Inductor::Package first = compiled(settings, target), again = compiled(settings, target);
  CHECK(first.bytes == "1\n");
  CHECK(first.ms == 2500);
  CHECK_FALSE(first.cached);
  CHECK(again.bytes == "1\n");
  CHECK(again.ms == 2500);
  CHECK(again.cached);
  CHECK(compiled({bed.program(), "2.11.0", {"max_autotune=1"}, 60}, target).bytes == "2\n");
  CHECK(compiled(settings, ir::targetOf("sm_90")).bytes == "3\n");
  CHECK(compiled(settings, target).bytes == "1\n");
}
