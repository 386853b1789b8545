// Contenders of the user's own, by the program itself; none that cheats passes with default options.
#include <doctest/doctest.h>

#include <sched.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "tests/opbench/suspicion/own_race.h"

using namespace opbench;
using tests::allOutcomesOf;
using tests::outcomesOf;
using tests::ProgramBed;
namespace fs = std::filesystem;

namespace {

constexpr const char* softmaxes = "Operator: aten._softmax.default\ncnt: 1, ((T([256, 512], f32), -1, False), {})\n";

const std::string zoo = tests::libraryBeside("zoo.so");

int race(const ProgramBed& bed, const std::string& samples, const std::string& contenders, const std::string& library = zoo) {
  return tests::raceOwn(bed, samples, contenders, library);
}

}  // namespace

TEST_CASE("an operator that a library registers races beside eager and opbench, on the sample's arguments") {
  const ProgramBed bed(1);
  CHECK(race(bed, softmaxes, "eager,opbench,zoo::honest") == 0);
  const std::vector<Outcome> outcomes = outcomesOf(bed, 3);
  REQUIRE(outcomes.size() == 3);
  CHECK(outcomes[2].contender.name() == "zoo::honest");
  CHECK_MESSAGE(outcomes[2].status == Status::Ok, outcomes[2].reason);
  CHECK(outcomes[2].speedup.has_value());
  CHECK(bed.out().find("zoo::honest") != std::string::npos);
}

TEST_CASE("threads that an operator starts may use all processors of the process") {
  cpu_set_t mask;
  REQUIRE(sched_getaffinity(0, sizeof mask, &mask) == 0);
  ::setenv("ZOO_PROCESSORS", std::to_string(CPU_COUNT(&mask)).c_str(), 1);
  const ProgramBed bed(1);
  CHECK(race(bed, softmaxes, "eager,zoo::own_threads") == 0);
  const Outcome outcome = outcomesOf(bed).at(1);
  CHECK_MESSAGE(outcome.status == Status::Ok, outcome.reason);
  ::unsetenv("ZOO_PROCESSORS");
}

TEST_CASE("an operator that does not take the sample's arguments is unsupported, and says which one it lacks") {
  const ProgramBed bed(1);
  CHECK(race(bed, softmaxes, "eager,zoo::lazy_negation") == 0);
  CHECK(outcomesOf(bed).at(1).status == Status::Unsupported);
  CHECK(outcomesOf(bed).at(1).reason == "zoo::lazy_negation has no argument 'dim', which the sample gives");
  CHECK(race(bed, softmaxes, "eager,zoo::takes_a_list") == 0);
  CHECK(outcomesOf(bed).at(1).status == Status::Unsupported);
}

TEST_CASE("a namespace races the operator of each call's own name and overload") {
  const ProgramBed bed(1);
  const std::string samples =
      "Operator: aten._softmax.default\ncnt: 1, ((T([256, 512], f32), -1, False), {})\n"
      "Operator: aten.mul.Tensor\ncnt: 1, ((T([256, 512], f32), T([256, 512], f32)), {})\n"
      "Operator: aten.relu_.default\ncnt: 1, ((T([256, 512], f32),), {})\n"
      "Operator: aten.neg.default\ncnt: 1, ((T([256, 512], f32),), {})\n"
      "Operator: aten.native_batch_norm.default\ncnt: 1, ((T([8, 16, 32, 32], f32), T([16], f32), T([16], f32), T([16], f32), "
      "T([16], f32), True, 0.1, 1e-05), {})\n"
      "Operator: aten.abs.default\ncnt: 1, ((T([256, 512], f32),), {})\n";
  CHECK(race(bed, samples, "eager,opbench,namesakes", tests::libraryBeside("zoo_namesakes.so")) == 1);  // abs is wrong
  const auto outcomes = allOutcomesOf(bed, 3);
  CHECK(outcomes.size() == 6);
  for (const auto& [op, ofSample] : outcomes) {
    CAPTURE(op);
    REQUIRE(ofSample.size() == 3);
    CHECK(ofSample[2].contender.name() == "namesakes");
    CHECK_MESSAGE(ofSample[2].status == (op == "aten.abs.default" ? Status::Wrong : Status::Ok), ofSample[2].reason);
  }
}

TEST_CASE("where a namespace has no operator of the call's name, or another one, it is unsupported and says why") {
  const ProgramBed bed(1);
  const auto reason = [&](const std::string& op, const std::string& arguments) {
    CHECK(race(bed, "Operator: aten." + op + "\ncnt: 1, ((" + arguments + "), {})\n", "eager,namesakes",
               tests::libraryBeside("zoo_namesakes.so")) == 0);
    const std::vector<Outcome> outcomes = outcomesOf(bed);
    CHECK(outcomes.at(0).status == Status::Ok);
    CHECK(outcomes.at(1).status == Status::Unsupported);
    return outcomes.at(1).reason;
  };
  CHECK(reason("mul.Scalar", "T([256, 512], f32), 2") == "namesakes has no operator namesakes::mul.Scalar");
  CHECK(reason("amax.default", "T([256, 512], f32), [1]").starts_with("namesakes::amax does not take the sample's arguments: "));
  CHECK(reason("neg.default", "T([4, 4, 4], f32),") == "namesakes::neg refuses the call: self must have 2 dimensions, got 3");
}

TEST_CASE("a namespace that no library registers ends the run in one line") {
  const ProgramBed bed(1);
  CHECK(race(bed, softmaxes, "eager,namesake", tests::libraryBeside("zoo_namesakes.so")) == 2);
  CHECK(bed.err() ==
        "opbench: error: unknown contender 'namesake': no library registers operators of such a namespace; choose from eager, "
        "opbench, inductor, torchscript, cudnn, namesakes; did you mean namesakes?\n");
}

TEST_CASE("a library that cannot be loaded, and an operator that none registers, end the run in one line") {
  const ProgramBed bed(1);
  CHECK(race(bed, softmaxes, "eager,zoo::honest", "/nowhere/zoo.so") == 2);
  CHECK(bed.err() == "opbench: error: cannot load /nowhere/zoo.so: there is no such file\n");
  CHECK(race(bed, softmaxes, "eager,zoo::honest", bed.folder.path / "samples.txt") == 2);
  CHECK(bed.err().find("cannot load " + (bed.folder.path / "samples.txt").string() + ": ") != std::string::npos);
  CHECK(race(bed, softmaxes, "eager,zoo::tiger") == 2);
  CHECK(bed.err().find("unknown contender 'zoo::tiger': no such operator is registered; the loaded libraries register "
                       "zoo::changes_code") != std::string::npos);
}

TEST_CASE("a library that gives ATen's operators other kernels ends the run: eager would call them") {
  const ProgramBed bed(1);
  CHECK(race(bed, softmaxes, "eager,opbench", tests::libraryBeside("zoo_over_aten.so")) == 2);
  CHECK(bed.err().find("zoo_over_aten.so: another kernel of aten::square is registered for CPU, at ") != std::string::npos);
}

TEST_CASE("nobody can cheat: what only looks right or fast is wrong or suspect, with default options") {
  struct Cheat {
    std::string name;
    Status status;
    std::string reason;
  };
  const std::vector<Cheat> cheats{
      {"other_thread", Status::Wrong, ""},
      {"other_process", Status::Wrong, ""},
      {"kept_by_address", Status::Wrong, ""},
      {"kept_by_content", Status::Suspect, "it keeps results"},
      {"stale", Status::Wrong, ""},
      {"left_in_place", Status::Wrong, ""},
      {"only_if_poisoned", Status::Wrong, ""},
      {"tired", Status::Wrong, " (in "},
      {"half", Status::Wrong, ""},
      {"without_last_rows", Status::Wrong, ""},
      {"nothing", Status::Wrong, ""},
      {"input", Status::Wrong, ""},
      {"copy_of_input", Status::Wrong, ""},
      {"foreseen", Status::Wrong, "which nobody could foresee"},
      {"slow_clock", Status::Suspect, "the clock says that "},
      {"changes_code", Status::Suspect, "the code of libc.so.6 was changed in memory"},
      {"slows_eager", Status::Suspect, "another kernel of aten::_softmax is registered for CPU, at "},
      {"slows_memory", Status::Suspect, "ATen's allocator of host memory was exchanged"},
      {"interrupts", Status::Suspect, "a timer was started that interrupts the process"},
      {"flushes_small_numbers", Status::Suspect, "the processor's rounding was changed"},
      {"writes_input", Status::Wrong, "was written"},
      {"rare", Status::Wrong, ""},
      {"on_first_thread", Status::Wrong, ""},
      {"leaves_process", Status::Suspect, "a process was started that still runs"},
  };
  for (const Cheat& cheat : cheats) {
    CAPTURE(cheat.name);
    const ProgramBed bed(1);
    CHECK(race(bed, softmaxes, "eager,zoo::" + cheat.name) == 1);
    const Outcome outcome = outcomesOf(bed).at(1);
    CHECK_MESSAGE(outcome.status == cheat.status, cheat.name, " is ", name(outcome.status), ": ", outcome.reason);
    CHECK_MESSAGE(outcome.reason.find(cheat.reason) != std::string::npos, cheat.name, ": ", outcome.reason);
  }
  const ProgramBed bed(1);
  CHECK(race(bed, "Operator: aten.neg.default\ncnt: 1, ((T([256, 512], f32),), {})\n", "eager,zoo::lazy_negation") == 1);
  CHECK(outcomesOf(bed).at(1).status == Status::Wrong);
  CHECK(outcomesOf(bed).at(1).reason.find("a negation that is not computed") != std::string::npos);
}
