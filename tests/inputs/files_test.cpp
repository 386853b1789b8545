#include "inputs/files.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "ir/error.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/refusal.h"

namespace {

namespace fs = std::filesystem;
using inputs::Replacement;
using ir::ErrorKind;
using tests::contentOf;

/// The names in a folder.
std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::string readRefusal(const std::string& path, const inputs::FileLimits& limits = {}) {
  return tests::refusal(ErrorKind::Input, [&] { inputs::readFile(path, limits); });
}
std::string writeRefusal(const std::string& path) {
  return tests::refusal(ErrorKind::Input, [&] { inputs::writeFile(path, "text"); });
}

}  // namespace

TEST_CASE("a file is read whole; folders, absent files and those beyond a limit are refused in one line") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.path / "f";
  inputs::writeFile(path, std::string("one\n\0two", 8));
  CHECK(inputs::readFile(path) == std::string("one\n\0two", 8));
  CHECK(readRefusal(folder.path) == "cannot read " + folder.path.string() + ": it is a folder");
  CHECK(readRefusal("/nonexistent") == "cannot read /nonexistent: No such file or directory");
  CHECK(readRefusal(path, {7, 100}) == "cannot read " + path + ": it holds more than 7 bytes");
  CHECK(readRefusal(path, {100, 3}) == path + ":2: the line is longer than 3 bytes");
  CHECK(inputs::readFile(path, {8, 4}).size() == 8);
}

TEST_CASE("an endless file without lines ends at the limit of a line") {
  CHECK(readRefusal("/dev/zero") == "/dev/zero:1: the line is longer than 1048576 bytes");
}

TEST_CASE("the old content stays until the new one is committed, and where it never is nothing is left of it") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.path / "f";
  inputs::writeFile(path, "old");
  {
    Replacement file(path);
    file.write("new");
    CHECK(contentOf(path) == "old");
  }
  CHECK(contentOf(path) == "old");
  CHECK(namesIn(folder.path) == std::vector<std::string>{"f"});
  Replacement file(path);
  file.write("ne");
  file.write("w");
  file.commit();
  CHECK(contentOf(path) == "new");
  CHECK(namesIn(folder.path) == std::vector<std::string>{"f"});
}

TEST_CASE("a link stays a link, and permissions stay as they are") {
  const tests::TemporaryFolder folder;
  const fs::path path = folder.path / "f", link = folder.path / "link", dangling = folder.path / "dangling";
  inputs::writeFile(path, "old");
  fs::permissions(path, fs::perms::owner_all);
  fs::create_symlink("f", link);
  fs::create_symlink("new", dangling);
  inputs::writeFile(link, "new");
  inputs::writeFile(dangling, "new");
  CHECK(fs::is_symlink(link));
  CHECK(contentOf(path) == "new");
  CHECK(fs::status(path).permissions() == fs::perms::owner_all);
  CHECK(fs::is_symlink(dangling));
  CHECK(contentOf(folder.path / "new") == "new");
}

TEST_CASE("a pipe is written directly") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.path / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::string heard;
  std::thread reader([&] { heard = contentOf(path); });
  inputs::writeFile(path, "text");
  reader.join();
  CHECK(heard == "text");
  CHECK(fs::is_fifo(path));
}

TEST_CASE("a full disk, a folder and a file in no folder are refused, and a check finds that beforehand") {
  const tests::TemporaryFolder folder;
  CHECK(writeRefusal("/dev/full") == "cannot write /dev/full: No space left on device");
  CHECK(writeRefusal(folder.path) == "cannot write " + folder.path.string() + ": Is a directory");
  CHECK(writeRefusal("/nonexistent/f") == "cannot write /nonexistent/f: No such file or directory");
  CHECK_THROWS_AS(inputs::checkWritable("/nonexistent/f"), ir::Error);
  inputs::checkWritable(folder.path / "f");
  CHECK(namesIn(folder.path).empty());
}

TEST_CASE("one file is found by other names: links, detours, and names of what is yet to be made; devices are nobody's") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.path / "f", other = folder.path / "g";
  const std::string detour = folder.path / "." / "f";
  CHECK(inputs::isSameFile(path, detour));
  CHECK(!inputs::isSameFile(path, other));
  inputs::writeFile(path, "");
  CHECK(inputs::isSameFile(path, detour));
  CHECK(!inputs::isSameFile(path, other));
  fs::create_hard_link(path, other);
  CHECK(inputs::isSameFile(path, other));
  fs::create_symlink("f", folder.path / "link");
  CHECK(inputs::isSameFile(path, folder.path / "link"));
  CHECK(!inputs::isSameFile("/dev/null", "/dev/null"));
  CHECK(!inputs::isSameFile("/nonexistent/f", "/nonexistent/f"));
}
