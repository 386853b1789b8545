// Operators of a library's on regions, and operators that ATen has not, by the program itself.
#include <doctest/doctest.h>

#include <fstream>

#include "tests/opbench/suspicion/own_race.h"

using namespace opbench;
using tests::outcomesOf;
using tests::ProgramBed;

namespace {

const std::string library = tests::libraryBeside("zoo_fused.so");

std::string regionOf(const std::string& name, const std::string& graph) {
  std::string text = graph;
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 4) text.replace(at, 1, "\\x0a");
  return "Operator: region." + name + "\ncnt: 1, ((T([32, 48], f32), T([32, 48], f32)), {'graph': '" + text + "'})\n";
}

const std::string addRelu = regionOf("add_relu",
                                     "graph\n"
                                     "  in x0 f32[32, 48]\n"
                                     "  in x1 f32[32, 48]\n"
                                     "  y0 f32[32, 48] = aten.add.Tensor(self=x0, other=x1, alpha=1)\n"
                                     "  y1 f32[32, 48] = aten.relu.default(self=y0)\n"
                                     "  return y0, y1\n");
const std::string accumulate = regionOf("accumulate",
                                        "graph\n"
                                        "  in x0 f32[32, 48]\n"
                                        "  in x1 f32[32, 48]\n"
                                        "  x0 = aten.add_.Tensor(self=x0, other=x1, alpha=1) writes x0\n"
                                        "  y1 f32[32, 48] = aten.relu.default(self=x0)\n"
                                        "  return x0, y1\n");
const std::string norms = "Operator: fused.norm\ncnt: 1, ((T([32, 48], f32), T([48], f32), 0.5), {})\n";

int race(const ProgramBed& bed, const std::string& samples, const std::string& contenders,
         const std::vector<std::string>& options = {}) {
  return tests::raceOwn(bed, samples, contenders, library, options);
}

}  // namespace

TEST_CASE("an operator races on a region: its arguments are the region's inputs, its results the outputs") {
  const ProgramBed bed(1);
  CHECK(race(bed, addRelu, "eager,opbench,fused::add_relu") == 0);
  const Outcome right = outcomesOf(bed, 3).at(2);
  CHECK(right.contender.name() == "fused::add_relu");
  CHECK_MESSAGE(right.status == Status::Ok, right.reason);
  CHECK(right.speedup.has_value());
  CHECK(race(bed, addRelu, "eager,fused::wrong") == 1);
  CHECK(outcomesOf(bed).at(1).status == Status::Wrong);
  CHECK(outcomesOf(bed).at(1).reason.find("output 1 is wrong at [31, ") != std::string::npos);
}

TEST_CASE("what a region writes of its inputs an operator need not hand back") {
  const ProgramBed bed(1);
  CHECK(race(bed, accumulate, "eager,fused::accumulate") == 0);
  const Outcome outcome = outcomesOf(bed).at(1);
  CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
}

TEST_CASE("an operator may be meant for one operator's samples; the others have rows without it") {
  const ProgramBed bed(1);
  CHECK(race(bed, addRelu + accumulate, "eager,fused::add_relu@region.add_relu,fused::accumulate@region.accumulate") == 0);
  const auto outcomes = tests::allOutcomesOf(bed, 0);
  CHECK(outcomes.at("region.add_relu").at(1).contender.name() == "fused::add_relu");
  CHECK(outcomes.at("region.accumulate").at(1).contender.name() == "fused::accumulate");
  for (const auto& [op, ofSample] : outcomes) CHECK(ofSample.size() == 2);
}

TEST_CASE("an operator that is meant for samples which are not there ends the run in one line") {
  const ProgramBed bed(1);
  CHECK(race(bed, addRelu, "eager,fused::add_relu@region.add_rel") == 2);
  CHECK(bed.err() ==
        "opbench: error: --contenders: no sample is of region.add_rel, which fused::add_relu is for; did you mean "
        "region.add_relu?\n");
}

TEST_CASE("an operator that does not take a region's inputs is unsupported") {
  const ProgramBed bed(1);
  CHECK(race(bed, addRelu, "eager,fused::norm") == 0);
  CHECK(outcomesOf(bed).at(1).status == Status::Unsupported);
  CHECK(outcomesOf(bed).at(1).reason == "fused::norm needs an argument 'eps', which region.add_relu does not have");
}

TEST_CASE("an operator that ATen has not races against a reference of the user's, on siblings as well") {
  const ProgramBed bed(1);
  const std::vector<std::string> reference{"--reference", "fused::norm_reference"};
  CHECK(race(bed, norms, "eager,opbench,fused::norm", reference) == 0);
  const std::vector<Outcome> outcomes = outcomesOf(bed, 3);
  for (const Outcome& outcome : outcomes) CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
  CHECK(outcomes.at(1).kind == runtime::Kind::Fallback);
  CHECK(race(bed, norms, "eager,fused::norm_without_eps", {"--reference", "fused.norm=fused::norm"}) == 1);
  CHECK(outcomesOf(bed).at(1).status == Status::Wrong);
}

TEST_CASE("an operator that ATen has not is refused without a reference, and a reference that no library registers as well") {
  const ProgramBed bed(1);
  CHECK(race(bed, norms, "eager,fused::norm") == 2);
  CHECK(bed.err().find("fused.norm is refused: only operators of the namespace aten are called") != std::string::npos);
  CHECK(race(bed, norms, "eager,fused::norm", {"--reference", "fused.norm=fused::slow"}) == 2);
  CHECK(bed.err().find("unknown reference 'fused::slow': no such operator is registered") != std::string::npos);
  CHECK(race(bed, norms, "eager,fused::norm", {"--reference", "fused::norm"}) == 2);
  CHECK(bed.err() ==
        "opbench: error: 'fused::norm' must be OP=LIBRARY::NAME, as my.norm=my::slow_norm, or LIBRARY::OP_reference\n");
}
