#include "runtime/program/programs.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "inputs/files.h"
#include "ir/error.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"

TEST_CASE("a program is the one that was exported in the dtype and mode, where there is one") {
  const tests::TemporaryFolder folder;
  for (const char* file : {"net.pt2", "net_training.pt2", "net.float16.pt2", "net_training.bfloat16.pt2", "net.bfloat16.pt2",
                           "net.base.bfloat16.pt2", "notes.bfloat16.txt"})
    inputs::writeFile(folder.path / file, "");
  const runtime::Programs programs(folder.path, {});
  CHECK(programs.names() == std::vector<std::string>{"net", "net_base"});
  const auto fileOf = [&](const char* name, bool isTraining, const char* dtype) {
    return std::filesystem::path(programs.fileOf(name, isTraining, dtype)).filename().string();
  };
  CHECK(fileOf("net", false, "float32") == "net.pt2");
  CHECK(fileOf("net", false, "float16") == "net.float16.pt2");
  CHECK(fileOf("net", false, "bfloat16") == "net.bfloat16.pt2");
  CHECK(fileOf("net", true, "float32") == "net_training.pt2");
  CHECK(fileOf("net", true, "float16") == "net_training.pt2");
  CHECK(fileOf("net", true, "bfloat16") == "net_training.bfloat16.pt2");
  CHECK(fileOf("net_base", false, "bfloat16") == "net.base.bfloat16.pt2");
  CHECK(tests::refusal(ir::ErrorKind::Input, [&] {
          fileOf("net_base", false, "float16");
        }).starts_with("there is no archive of 'net_base' for inference in float16"));
}
