#include "runtime/torch/release.h"

#include <doctest/doctest.h>
#include <torch/headeronly/version.h>

#include <fstream>

#include "tests/opbench/temporary_folder.h"

TEST_CASE("a Python torch says which version it is, any of the release that the program is built with") {
  const tests::TemporaryFolder torch;
  const std::string lib = torch.path / "lib";
  CHECK(runtime::torchVersion(lib) == TORCH_VERSION);
  std::ofstream(torch.path / "version.py") << "from typing import Optional\n__version__ = '2.14.7+cu130'\ncuda = '13.0'\n";
  CHECK(runtime::torchVersion(lib) == "2.14.7");
}
