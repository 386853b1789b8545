#include "opbench/text/nearest.h"

#include <doctest/doctest.h>

using namespace opbench;

TEST_CASE("an edit is an insertion, a deletion, a replacement or a swap of neighbours") {
  CHECK(editDistance("add", "add") == 0);
  CHECK(editDistance("add", "ad") == 1);
  CHECK(editDistance("add", "adds") == 1);
  CHECK(editDistance("add", "mdd") == 1);
  CHECK(editDistance("timm", "itmm") == 1);
  CHECK(editDistance("", "abc") == 3);
}

TEST_CASE("names within a third of the length in edits are near, and those that contain the text") {
  CHECK(nearest("tim", {"torchbench", "huggingface", "timm"}) == std::vector<std::string>{"timm"});
  CHECK(nearest("bench", {"torchbench", "huggingface", "timm"}) == std::vector<std::string>{"torchbench"});
  CHECK(nearest("xyz", {"torchbench", "huggingface", "timm"}).empty());
  CHECK(nearest("aa", {"ab", "ac", "ad", "ae"}, 2) == std::vector<std::string>{"ab", "ac"});
}

TEST_CASE("suggestions end a message") {
  CHECK(suggestion({}) == "");
  CHECK(suggestion({"a"}) == "; did you mean a?");
  CHECK(suggestion({"a", "b", "c"}) == "; did you mean a, b or c?");
}
