#include "runtime/device.h"

#include <doctest/doctest.h>

#include <atomic>

#include "runtime/parallel.h"

TEST_CASE("names of devices that cannot be") {
  CHECK_THROWS_WITH_AS(runtime::Device::open("gpu", 0), "there is no device 'gpu': it is cpu, cuda or cuda:N", runtime::NoDevice);
  CHECK_THROWS_AS(runtime::Device::open("cuda:x", 0), runtime::NoDevice);
  CHECK_THROWS_AS(runtime::Device::open("cuda:-1", 0), runtime::NoDevice);
}

TEST_CASE("without a GPU, asking for one says why in one line") {
  std::string why;
  if (runtime::Device::cudaAvailable(&why)) {
    MESSAGE("skipped: there is a GPU");
    return;
  }
  CHECK_FALSE(why.empty());
  CHECK(why.find('\n') == std::string::npos);
  CHECK_THROWS_WITH_AS(runtime::Device::open("cuda", 0), ("no CUDA device: " + why).c_str(), runtime::NoDevice);
}

TEST_CASE("the CPU") {
  const auto device = runtime::Device::open("cpu", 2);
  CHECK(device->torchName() == "cpu");
  CHECK_FALSE(device->name().empty());
  CHECK(device->target().backend == ir::Backend::Cpu);
  CHECK(device->target().processors == 2);
  CHECK_FALSE(device->target().arch.empty());
  CHECK(device->copyBandwidth() > 0);
  CHECK(device->facts().size() == 3);
}

TEST_CASE("parallelFor covers every index once, in ranges of the grain") {
  for (int64_t count : {0, 1, 7, 8, 9, 1000}) {
    std::vector<std::atomic<int>> seen(count);
    runtime::parallelFor(count, 8, [&](int64_t begin, int64_t end) {
      CHECK(begin % 8 == 0);
      for (int64_t i = begin; i < end; ++i) ++seen[i];
    });
    for (const auto& times : seen) CHECK(times == 1);
  }
}

TEST_CASE("what a worker throws arrives") {
  CHECK_THROWS_WITH(runtime::parallelFor(100, 1, [](int64_t, int64_t) { throw std::runtime_error("from a worker"); }),
                    "from a worker");
}
