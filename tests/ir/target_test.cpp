#include "ir/target.h"

#include <doctest/doctest.h>

#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "tests/refusal.h"

using namespace ir;

TEST_CASE("an architecture stands for its largest GPU") {
  const Target hopper = targetOf("sm_90");
  CHECK(hopper.backend == Backend::Cuda);
  CHECK(hopper.processors == 132);
  CHECK(hopper.clusterCtas == 16);
  CHECK(hopper.ctaSharedBytes == 227 << 10);
  CHECK(targetOf("haswell").vectorBytes == 32);
  CHECK(tests::refusal(ErrorKind::Input, [] { targetOf("sm_10"); }) == "the architecture sm_10 is not known");
}

TEST_CASE("clusters begin with sm_90; of an architecture that is not known they are portable ones") {
  for (const char* arch : {"sm_80", "sm_86", "sm_89"}) CHECK(targetOf(arch).clusterCtas == 1);
  CHECK(largestCluster("sm_100") == 16);
  CHECK(largestCluster("sm_120") == 8);
}

TEST_CASE("a thread adds to a vector of f32 sums at once from sm_90 on, else to one") {
  for (const char* arch : {"sm_80", "sm_89", "haswell"}) CHECK(targetOf(arch).atomicBytes() == 4);
  for (const char* arch : {"sm_90", "sm_100"}) CHECK(targetOf(arch).atomicBytes() == 16);
}

TEST_CASE("a kernel is verified for a target: clusters and resident blocks that it has no room for are refused") {
  const auto verified = [](const char* arch, const std::string& launch, const std::string& loops) {
    const Kernel kernel = parseKernel("kernel f on cuda\n  launch " + launch + "\n" + loops);
    return tests::refusal(ErrorKind::Internal, [&] { verify(kernel, targetOf(arch)); });
  };
  const auto clusters = [&](const char* arch, const std::string& size) {
    return verified(arch, "1 clusters of " + size + " blocks of 1 threads",
                    "  for i in 1 grid\n    for c in " + size + " cluster\n");
  };
  const auto resident = [&](const char* arch, const std::string& count) {
    return verified(arch, "1 blocks of 1024 threads, " + count + " resident", "  for t in 1024 thread\n");
  };
  const std::string fine = "nothing was refused";
  CHECK(clusters("sm_90", "16") == fine);
  CHECK(clusters("sm_90", "17") == "kernel f on sm_90: 17 blocks a cluster");
  CHECK(clusters("sm_80", "2") == "kernel f on sm_80: 2 blocks a cluster");
  CHECK(resident("sm_80", "2") == fine);
  CHECK(resident("sm_86", "2") == "kernel f on sm_86: 2 blocks of 1024 threads resident");
}

TEST_CASE("streamed stores are aligned to their size, or to a smaller vector register of the target") {
  const Kernel kernel = parseKernel(
      "kernel f on cpu\n  launch 3 tasks, 1 at a time\n  stream stores\n  out y f32[3, 24] align 64\n"
      "  for i in 3 task\n    lanes l in 16\n      y[i*24] x16 = f32(1)\n    lanes m in 8\n      y[i*24 + 16] x8 = f32(1)\n");
  const auto verified = [&](const char* arch) {
    return tests::refusal(ErrorKind::Internal, [&] { verify(kernel, targetOf(arch)); });
  };
  CHECK(verified("haswell") == "nothing was refused");
  CHECK(verified("skylake-avx512") ==
        "kernel f: the store to y is contiguous and its offset i0*24 is not always a multiple of 64 bytes");
}
