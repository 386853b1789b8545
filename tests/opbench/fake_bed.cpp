#include "tests/opbench/fake_bed.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <fstream>

namespace tests {

namespace fs = std::filesystem;

FakeBed::FakeBed(int samples) : ProgramBed(samples, false) {
  fs::create_directory(steering_);
  words_ = {"--worker-program", fs::read_symlink("/proc/self/exe").parent_path() / "fake_worker"};
  variables_ = {"FAKE_WORKER=" + steering_.string()};
}

void FakeBed::hold(int index) const { std::ofstream(steering_ / fmt::format("hold-{}", index)) << ""; }

bool FakeBed::waitUntilHeld(int index, pid_t pid) const {
  const fs::path held = steering_ / fmt::format("held-{}", index);
  for (; !fs::exists(held); sleepFor(1))
    if (hasEnded(pid)) return false;
  return true;
}

void FakeBed::release(int index) const {
  fs::remove(steering_ / fmt::format("hold-{}", index));
  fs::remove(steering_ / fmt::format("held-{}", index));
}

void FakeBed::stopWorkers(int number) const {
  for (int i = 0; i < number; ++i) std::ofstream(steering_ / fmt::format("stop-{}", i)) << "";
}

int FakeBed::stopsLeft() const {
  int left = 0;
  for (const auto& entry : fs::directory_iterator(steering_)) left += entry.path().filename().string().starts_with("stop-");
  return left;
}

std::string FakeBed::patience() {
  static std::string text;
  if (text.empty()) {
    const auto start = std::chrono::steady_clock::now();
    CHECK(FakeBed(1).run() == 0);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    text = fmt::format("{}", std::ceil(10 * (0.3 + took.count())) / 10);
  }
  return text;
}

}  // namespace tests
