#include "inputs/text/printable.h"

#include <doctest/doctest.h>

using inputs::printable;

TEST_CASE("text of any language, line breaks and tabs are shown as they are") {
  CHECK(printable("f16[2,3] ok\n\tñ 日本 🚀") == "f16[2,3] ok\n\tñ 日本 🚀");
  CHECK(printable("") == "");
}

TEST_CASE("what a terminal obeys, what turns text round and what ends a line unseen become question marks") {
  CHECK(printable("a\x1b[31mb\rc\x7f\b") == "a?[31mb?c??");
  CHECK(printable("\u009b31m") == "?31m");                   // CSI in one character
  CHECK(printable("\u202e\u2066x\u200f\u061c") == "??x??");  // bidirectional controls
  CHECK(printable("a\u2028b\u2029c") == "a?b?c");
  CHECK(printable(std::string("a\0b", 3)) == "a?b");
}

TEST_CASE("what is no character in XML is none here") {
  CHECK(printable("\uffff\ufffe\ufdd0") == "???");
  CHECK(printable("\U0001fffe") == "?");
  CHECK(printable("\ufffd") == "\ufffd");
}

TEST_CASE("bytes that are no UTF-8 become a question mark each") {
  CHECK(printable("a\xff\xfe") == "a??");
  CHECK(printable("\xc0\xaf") == "??");         // more bytes than it takes
  CHECK(printable("\xed\xa0\x80") == "?");      // half of a pair
  CHECK(printable("\xe2\x82") == "??");         // cut off
  CHECK(printable("\xf4\x90\x80\x80") == "?");  // beyond the last character
  CHECK(printable("\xe2\x28\xa1") == "?(?");
}

TEST_CASE("a beginning ends with a whole character") {
  CHECK(inputs::beginning("abc", 5) == "abc");
  CHECK(inputs::beginning("abc", 2) == "ab");
  CHECK(inputs::beginning("a日b", 2) == "a");
  CHECK(inputs::beginning("a日b", 4) == "a日");
  CHECK(inputs::beginning("日", 0) == "");
}
