// --kernel by the program itself, where there is no GPU to launch on.
#include <doctest/doctest.h>

#include "opbench/own/own_contenders.h"
#include "opbench/settings/arguments.h"
#include "tests/opbench/own/kernel_bed.h"
#include "tests/opbench/program_bed.h"
#include "tests/refusal.h"
#include "tests/targets.h"

namespace {

using opbench::Contender;
using opbench::RaceSettings;
using tests::KernelBed;

std::string refused(const KernelBed& bed, const RaceSettings& options) {
  return bed.place(tests::refusal(ir::ErrorKind::Input, [&] { kernelFilesOf(options, tests::hopper()); }));
}

TEST_CASE("--kernel on a CPU ends the run in one line") {
  const tests::ProgramBed bed(1);
  std::ofstream(bed.folder.path / "my_softmax.cu") << tests::documentedSoftmax;
  CHECK(bed.run({"--kernel", bed.folder.path / "my_softmax.cu", "--contenders", "eager,kernel::my_softmax"}) == 2);
  CHECK(bed.err() == "opbench: error: --kernel needs a GPU, and the device is a CPU\n");
}

TEST_CASE("a kernel that races has a file, and of files one races at least") {
  const KernelBed bed;
  bed.write(tests::documentedSoftmax, "my_softmax.cu");
  RaceSettings options;
  options.contenders = {Contender::Eager, Contender("kernel::my_softmax")};
  CHECK(refused(bed, options) == "unknown contender 'kernel::my_softmax': name its file with --kernel");
  options.kernels = {bed.path("my_softmax.cu")};
  CHECK(kernelFilesOf(options, tests::hopper()).at(0).contender == "kernel::my_softmax");
  options.contenders.emplace_back("kernel::other");
  CHECK(refused(bed, options) == "unknown contender 'kernel::other': the files of --kernel are kernel::my_softmax");
  options.contenders = {Contender::Eager};
  CHECK(refused(bed, options) == "--kernel is given, and no kernel races: add kernel::my_softmax to --contenders");
  options.contenders.emplace_back("kernel::my_softmax");
  options.kernels.push_back(options.kernels[0]);
  CHECK(refused(bed, options) == "my_softmax.cu: another --kernel is kernel::my_softmax too");
}

TEST_CASE("a run is resumed with the same kernels alone") {
  const KernelBed bed;
  RaceSettings options;
  options.kernels = {bed.path("my_softmax.cu"), bed.path("mine.cubin")};
  bed.write("one", "my_softmax.cu");
  bed.write("code", "mine.cubin");
  bed.write("one", "mine.yaml");
  const std::string before = opbench::rulesDigest(options);
  CHECK(opbench::rulesDigest(options) == before);
  for (const char* name : {"my_softmax.cu", "mine.cubin", "mine.yaml"}) {
    CAPTURE(name);
    bed.write("two", name);
    CHECK(opbench::rulesDigest(options) != before);
    bed.write(name == std::string("mine.cubin") ? "code" : "one", name);
  }
}

}  // namespace
