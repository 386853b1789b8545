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

TEST_CASE(
    "a text has no byte order mark, is unpacked where gzip packed it, and what is none is refused in one line that says what it "
    "is") {
  using namespace std::string_literals;
  const std::string packed =
      "\037\213\010\000\000\000\000\000\002\003\173\277\173\177\176\136"
      "\052\127\111\171\076\027\000\200\115\031\111\013\000\000\000"s;
  const tests::TemporaryFolder folder;
  const std::string path = folder.path / "f";
  const auto text = [&](const std::string& content, const inputs::FileLimits& limits = {}) {
    inputs::writeFile(path, content);
    return inputs::readText(path, limits);
  };
  const auto refusal = [&](const std::string& content, const inputs::FileLimits& limits = {}) {
    return tests::refusal(ErrorKind::Input, [&] { text(content, limits); });
  };
  CHECK(text("").empty());
  CHECK(text("one") == "one");
  CHECK(text("\xef\xbb\xbfone") == "one");
  CHECK(text(packed) == "one\ntwo\n");
  CHECK(text(packed + packed) == "one\ntwo\n\xef\xbb\xbfone\ntwo\n");
  CHECK(refusal(packed, {7, 7}) == "cannot read " + path + ": it holds more than 7 bytes");
  CHECK(refusal(packed, {100, 2}) == path + ":1: the line is longer than 2 bytes");
  CHECK(refusal(packed.substr(0, 20)) == "cannot read " + path + ": what gzip packed is cut off");
  CHECK(refusal(packed + "tail") == "cannot read " + path + ": what gzip packed is damaged");
  CHECK(refusal("BZh91AY") == "cannot read " + path + ": it is packed by bzip2; unpack it by bunzip2 -k " + path);
  CHECK(refusal("\xfd\x37zXZ\0more"s) == "cannot read " + path + ": it is packed by xz; unpack it by xz -dk " + path);
  CHECK(refusal("\x7f"
                "ELF\2"s) == "cannot read " + path + ": it is a program or library, not text");
  CHECK(refusal("ab\0"s) == "cannot read " + path + ": it is binary, not text: byte 3 is 0");
}

TEST_CASE("a text is read line by line, however long it is") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.path / "f", far(200'000, 'x');
  const auto lines = [&](const std::string& content) {
    inputs::writeFile(path, content);
    std::vector<std::string> read;
    inputs::readLines(path,
                      [&](std::string_view line, bool isBroken) { read.push_back(std::string(line) + (isBroken ? "..." : "")); });
    return read;
  };
  CHECK(lines("").empty());
  CHECK(lines("\xef\xbb\xbfone\n\ntwo") == std::vector<std::string>{"one", "", "two..."});
  CHECK(lines(far + "\n" + far + "\n") == std::vector<std::string>{far, far});
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

TEST_CASE("a folder that files will be made in is made; a file of its name, or above it, is refused") {
  const tests::TemporaryFolder folder;
  inputs::makeWritableFolder(folder.path / "a" / "b");
  inputs::makeWritableFolder(folder.path / "a" / "b");
  CHECK(fs::is_directory(folder.path / "a" / "b"));
  inputs::writeFile(folder.path / "f", "");
  CHECK_THROWS_AS(inputs::makeWritableFolder(folder.path / "f"), ir::Error);
  CHECK_THROWS_AS(inputs::makeWritableFolder(folder.path / "f" / "b"), ir::Error);
  if (::geteuid() == 0) return;  // who may write everywhere
  fs::permissions(folder.path / "a", fs::perms::owner_read | fs::perms::owner_exec);
  CHECK_THROWS_AS(inputs::makeWritableFolder(folder.path / "a"), ir::Error);
  fs::permissions(folder.path / "a", fs::perms::owner_all);
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
