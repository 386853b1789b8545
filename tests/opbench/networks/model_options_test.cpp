#include "opbench/networks/model.h"

#include <ATen/Functions.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <torch/csrc/jit/api/module.h>

#include "inputs/files.h"
#include "opbench/networks/description.h"
#include "opbench/networks/options/model.h"
#include "opbench/select/suite_config.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/workloads/model/model.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"
#include "tests/runtime/program/models.h"

using namespace opbench;
using runtime::Contender;

namespace {

ModelOptions asking(const std::string& name) {
  ModelOptions options;
  options.models = {name};
  return options;
}

}  // namespace

TEST_SUITE("models") {
  TEST_CASE("options become samples, those that a model does not take too: it refuses them") {
    ModelOptions options = asking("bert_base");
    options.batchSizes = {1, 2};
    options.sequenceLengths = {8, 600};
    const std::vector<inputs::Sample> found =
        samplesOf(options, runtime::Programs(tests::modelFolder(), {}), SuiteConfig::none(), describe);
    REQUIRE(found.size() == 4);
    CHECK(found[2].op == "model.bert_base.inference");
    CHECK(found[2].recorded == "((T([2, 8], i64),), {})");
    const auto device = runtime::openDevice("cpu", 1);
    CHECK(tests::refusal(ir::ErrorKind::Unsupported, [&] {
            runtime::Model(found[3], *device, 1, runtime::Programs(tests::modelFolder(), {}));
          }) == "length 600 is above the declared 512");
  }

  TEST_CASE("what an archive fixes is its own default; what is asked for is a sample all the same") {
    const std::string file = tests::smallModelPath("fixed");
    ModelOptions options = asking(file);
    const runtime::Programs programs("", filesOf(options));
    const std::vector<inputs::Sample> found = samplesOf(options, programs, SuiteConfig::none(), describe);
    REQUIRE(found.size() == 1);
    CHECK(found[0].recorded.starts_with("((T([6"));
    options.batchSizes = {2};
    CHECK(samplesOf(options, programs, SuiteConfig::none(), describe).at(0).recorded.starts_with("((T([2"));
  }

  TEST_CASE("a torn archive is a sample that fails, and the other models are there") {
    const tests::TemporaryFolder folder;
    const std::string torn = folder.path / "torn.pt2";
    inputs::writeFile(torn, inputs::readFile(tests::modelPath("alexnet")).substr(0, 3000));
    ModelOptions options = asking(torn);
    options.models.emplace_back("alexnet");
    const runtime::Programs programs(tests::modelFolder(), filesOf(options));
    const std::vector<inputs::Sample> found = samplesOf(options, programs, SuiteConfig::none(), describe);
    REQUIRE(found.size() == 2);
    CHECK(found[0].recorded == "((), {})");
    const auto device = runtime::openDevice("cpu", 1);
    CHECK(tests::refusal(ir::ErrorKind::Input, [&] { runtime::Model(found[0], *device, 1, programs); }).find(torn) == 0);
  }

  TEST_CASE("inputs of TorchScript are described on the command line, their integers bounded") {
    const tests::TemporaryFolder folder;
    torch::jit::Module module("Net");
    module.register_parameter("weight", at::ones({10, 4}), false);
    module.define("def forward(self, ids, x):\n  return torch.embedding(self.weight, ids) + x\n");
    module.save(folder.path / "net.pt");
    ModelOptions options = asking(folder.path / "net.pt");
    options.inputs = {"i64:2,5", "f32:2,5,4"};
    options.inputRanges = {"ids=0..10"};
    const runtime::Programs programs("", filesOf(options));
    CHECK(samplesOf(options, programs, SuiteConfig::none(), describe).at(0).recorded ==
          "((T([2, 5], i64), T([2, 5, 4], f32)), {'bounds': [10]})");
    options.batchSizes = {3};
    const inputs::Sample three = samplesOf(options, programs, SuiteConfig::none(), describe).at(0);
    CHECK(three.recorded == "((T([3, 5], i64), T([3, 5, 4], f32)), {'bounds': [10]})");
    const auto device = runtime::openDevice("cpu", 1);
    runtime::Model model(three, *device, 1, programs);
    CHECK((*model.make(Contender::Eager))().type(0).sizes == std::vector<int64_t>{3, 5, 4});
    options.inputRanges = {"ids=2..9"};
    CHECK(samplesOf(options, programs, SuiteConfig::none(), describe).at(0).recorded ==
          "((T([3, 5], i64), T([3, 5, 4], f32)), {'bounds': [9], 'least': [2]})");
    for (const char* range : {"ids=9..9", "ids=2", "=2..9", "ids=-1..3"}) {
      options.inputRanges = {range};
      CHECK(tests::refusal(ir::ErrorKind::Input, [&] { check(options); }) ==
            fmt::format("--input-range must be L..N or NAME=L..N, for integers from L to below N, got '{}'", range));
    }
  }

  TEST_CASE("an input of rank 0 has a range by its name, and no batch") {
    const tests::TemporaryFolder folder;
    torch::jit::Module module("net");
    module.define("def forward(self, n, x):\n  return x + n\n");
    module.save(folder.path / "net.pt");
    ModelOptions options = asking(folder.path / "net.pt");
    options.inputs = {"i64:", "f32:2,4"};
    options.inputRanges = {"n=2..9"};
    const runtime::Programs programs("", filesOf(options));
    const std::vector<inputs::Sample> found = samplesOf(options, programs, SuiteConfig::none(), describe);
    REQUIRE(found.size() == 1);
    CHECK(found[0].recorded == "((T([], i64), T([2, 4], f32)), {'bounds': [9], 'least': [2]})");
    const auto device = runtime::openDevice("cpu", 1);
    runtime::Model model(found[0], *device, 1, programs);
    CHECK((*model.make(Contender::Eager))().type(0).sizes == std::vector<int64_t>{2, 4});
  }

  TEST_CASE("an unknown model gets the nearest name; a file that is not there is named") {
    const runtime::Programs programs(tests::modelFolder(), {});
    CHECK(tests::refusal(ir::ErrorKind::Input, [&] {
            samplesOf(asking("resnet81"), programs, SuiteConfig::none(), describe);
          }).find("did you mean") != std::string::npos);
    CHECK(tests::refusal(ir::ErrorKind::Input, [&] { filesOf(asking("nowhere/my.pt2")); }) == "nowhere/my.pt2: no such file");
  }
}
