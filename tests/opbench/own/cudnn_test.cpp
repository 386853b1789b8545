// cuDNN's operators on a machine without a GPU: names and schemas equal ATen's, and every CPU tensor is refused.
#include <ATen/core/dispatch/Dispatcher.h>
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "opbench/results/contenders.h"
#include "opbench/results/sample_result.h"
#include "runtime/contenders/cudnn.h"
#include "tests/opbench/program_bed.h"

namespace {

using opbench::Contender;
using opbench::Outcome;
using opbench::Status;

/// The schema of an operator, without its namespace; empty where there is none.
std::string schemaOf(const std::string& space, const std::string& name) {
  const size_t dot = std::min(name.find('.'), name.size());
  const auto found =
      c10::Dispatcher::singleton().findSchema({space + "::" + name.substr(0, dot), name.substr(std::min(dot + 1, name.size()))});
  return found ? toString(found->schema()).substr(space.size()) : "";
}

TEST_CASE("cuDNN's operators have the names, overloads and schemas of ATen's") {
  CHECK(runtime::cudnnOperators().size() > 10);
  for (const std::string text : runtime::cudnnOperators()) {
    const std::string name = text.substr(0, text.find('('));
    CAPTURE(name);
    CHECK(schemaOf(runtime::cudnnNamespace, name) != "");
    CHECK(schemaOf(runtime::cudnnNamespace, name) == schemaOf("aten", name));
  }
}

TEST_CASE("cudnn is a contender of calls, and of recurrent networks another one") {
  const std::vector<Contender> asked{Contender::Eager, Contender("cudnn")};
  const auto raced = [&](const char* op) {
    const std::vector<Contender> contenders = opbench::contendersOf(op, asked);
    return fmt::format("{}", fmt::join(opbench::namesOf(contenders), " "));
  };
  CHECK(raced("aten._softmax.default") == "eager cudnn");
  CHECK(raced("rnn.lstm.training") == "cudnn");
  CHECK(raced("region.pointwise") == "eager");
  CHECK_FALSE(opbench::isNamespace(Contender("cudnn")));
}

TEST_CASE("on a CPU cudnn is unsupported, with the reason") {
  const tests::ProgramBed bed(1);
  std::ofstream(bed.folder.path / "samples.txt")
      << "Operator: aten._softmax.default\ncnt: 1, ((T([64, 32], f32), -1, False), {})\n"
         "Operator: aten.relu.default\ncnt: 1, ((T([64, 32], f32),), {})\n";
  CHECK(bed.program({"--inp-file", bed.folder.path / "samples.txt", "--device", "cpu", "--threads", "1", "--max-time", "0.05",
                     "--cache", bed.cacheSettings().folder, "--json", bed.json(), "--contenders", "eager,cudnn"}) == 0);
  std::map<std::string, Outcome> outcomes;
  std::ifstream file(bed.json());
  opbench::results::readSampleResults(file, bed.json(), 2, [&](const opbench::results::SampleResult& result) {
    outcomes[result.row.op] = result.row.outcomes.at(1);
  });
  CHECK(outcomes["aten._softmax.default"].status == Status::Unsupported);
  CHECK(outcomes["aten._softmax.default"].reason == "cudnn::_softmax refuses the call: cuDNN computes on a GPU alone");
  CHECK(outcomes["aten.relu.default"].status == Status::Unsupported);
  CHECK(outcomes["aten.relu.default"].reason == "cudnn has no operator cudnn::relu");
}

}  // namespace
