#include "opbench/text/version.h"

#include <doctest/doctest.h>

using namespace opbench;

TEST_CASE("a version names the release, the commit, and a hash of what the program was built from") {
  const std::string version = versionText();
  CHECK(version.starts_with("opbench 0.1.0 ("));
  const std::string build(buildOf(version));
  CHECK(build.size() == 12);
  CHECK(build.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(version.ends_with("+" + build + ")"));
}

TEST_CASE("a build is known by the hash, whichever commit its sources became; older versions have none") {
  CHECK(buildOf("opbench 0.1.0 (9c7c78d+a1b2c3d4e5f6)") == buildOf("opbench 0.1.0 (ef78ae3+a1b2c3d4e5f6)"));
  CHECK(buildOf("opbench 0.1.0 (9c7c78d+a1b2c3d4e5f6)") != buildOf("opbench 0.1.0 (9c7c78d+0b2c3d4e5f6a)"));
  CHECK(buildOf("opbench 0.1.0 (9c7c78d)") == "opbench 0.1.0 (9c7c78d)");
}
