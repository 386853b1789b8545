// What the program takes the terminal for, by the variables that users set.
#include <doctest/doctest.h>

#include <fstream>

#include "tests/opbench/program_bed.h"

using namespace tests;

TEST_CASE("colours: NO_COLOR forbids them, CLICOLOR_FORCE wants them where there is no terminal") {
  const ProgramBed bed(1);
  const std::string results = bed.folder.path / "r.jsonl";
  std::ofstream(results) << R"-({"op":"aten.neg.default","sample":"((T([8], f32),), {})","contender":"opbench","status":"ok",)-"
                         << R"-("device":"cpu","dtype":"float32","median_us":2,"speedup":3})-"
                         << "\n";
  const auto shown = [&](const std::vector<std::string>& variables) {
    CHECK(ProgramBed::wait(bed.launch({"show", results, "--columns", "speedup"}, variables)) == 0);
    return bed.out();
  };
  CHECK(shown({}) == "speedup\n      3\n");
  CHECK(shown({"CLICOLOR_FORCE=1"}) == "\033[1mspeedup\033[0m\n      \033[32m3\033[0m\n");
  CHECK(shown({"CLICOLOR_FORCE=0"}) == shown({}));
  CHECK(shown({"CLICOLOR_FORCE=1", "NO_COLOR=1"}) == shown({}));
}
