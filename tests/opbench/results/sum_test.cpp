#include "opbench/results/sum.h"

#include <doctest/doctest.h>

using opbench::results::SumState;
using opbench::results::sumStateOf;
using opbench::results::withSum;

TEST_CASE("a line with its sum is right, whatever stands behind it; any change of it is seen") {
  const std::string line = withSum(R"({"op":"aten.add.Tensor","median_us":24.5})");
  CHECK(line.starts_with(R"({"op":"aten.add.Tensor","median_us":24.5,"sum":")"));
  CHECK(line.ends_with("\"}"));
  CHECK(sumStateOf(line) == SumState::Right);
  CHECK(sumStateOf(line + "\r\n") == SumState::Right);
  for (size_t i = 0; i < line.size(); ++i) {
    std::string edited = line;
    edited[i] = static_cast<char>(edited[i] ^ 1);
    CHECK_MESSAGE(sumStateOf(edited) != SumState::Right, i);
  }
}

TEST_CASE("lines of older versions have no sum") {
  CHECK(sumStateOf(R"({"op":"aten.add.Tensor"})") == SumState::None);
  CHECK(sumStateOf("") == SumState::None);
}
