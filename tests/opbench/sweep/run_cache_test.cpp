// The program with caches that are odd, foreign or damaged while it runs: its results do not suffer, and it says so once.
#include "opbench/sweep/run_cache.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "tests/opbench/fake_bed.h"

using namespace tests;
namespace fs = std::filesystem;

namespace {

void setMode(const fs::path& path, mode_t mode) { REQUIRE(chmod(path.c_str(), mode) == 0); }

int countOf(const std::string& what, const std::string& text) {
  int count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++count;
  return count;
}

/// In a folder of temporary files, those that runs have made for themselves.
std::vector<fs::path> foldersIn(const fs::path& temporary) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(temporary)) found.push_back(entry.path());
  return found;
}

/// A sweep on the CPU with a cache of its own and a folder for temporary files.
struct CacheBed : ProgramBed {
  explicit CacheBed(int samples, bool hasCache = false) : ProgramBed(samples, hasCache) { fs::create_directory(temporary); }

  fs::path cache = folder.path / "cache", temporary = folder.path / "temporary";
  std::vector<std::string> variables{"TMPDIR=" + temporary.string()};

  std::string refusal(const std::string& why) const { return "opbench: cache " + cache.string() + " is not used: " + why; }
  std::vector<fs::path> leftovers() const { return foldersIn(temporary); }
};

}  // namespace

TEST_CASE("a cache that others may write into is not used: all is compiled for this run alone, which says so once") {
  const CacheBed bed(12);
  fs::create_directory(bed.cache);
  setMode(bed.cache, 0777);
  CHECK(bed.run({"--compilers", "2"}, bed.variables) == 0);
  CHECK(bed.statuses() == allOk(12));
  CHECK(bed.compilations() == all(12, "precompiled"));
  CHECK(countOf(" is not used", bed.err()) == 1);
  CHECK(bed.err().starts_with(bed.refusal("others can write to it")));
  CHECK(fs::is_empty(bed.cache));
  CHECK(bed.leftovers().empty());
  CHECK(bed.program({"doctor", "--cache", bed.cache}) == 0);
  CHECK(bed.out().find("missing  kernel cache") != std::string::npos);
  CHECK(bed.out().find(bed.cache.string() + " is not used: others can write to it") != std::string::npos);
}

TEST_CASE("a key that others may read costs the cache, and the run says so once, in this process as well") {
  for (const bool inProcess : {false, true}) {
    const CacheBed bed(4);
    const fs::path key = bed.folder.path / "state/opbench/cache.key";
    fs::create_directories(key.parent_path());
    std::ofstream(key) << std::string(32, 'k');
    setMode(key, 0644);
    CHECK(bed.run(inProcess ? std::vector<std::string>{"--in-process"} : std::vector<std::string>{}, bed.variables) == 0);
    CHECK(bed.statuses() == allOk(4));
    CHECK(countOf(" is not used: its key ", bed.err()) == 1);
  }
}

TEST_CASE("without HOME there is no key, and no cache that stays") {
  const CacheBed bed(4);
  std::vector<std::string> variables = bed.variables;
  variables.insert(variables.end(), {"HOME=", "XDG_STATE_HOME="});
  CHECK(bed.run({}, variables) == 0);
  CHECK(bed.statuses() == allOk(4));
  CHECK(bed.err().starts_with(bed.refusal("no place for its key; set XDG_STATE_HOME or HOME\n")));
}

TEST_CASE("a cache that becomes odd while the program runs costs no result, whoever opens it later") {
  const CacheBed bed(10, true);
  const pid_t pid = bed.start({"--compilers", "1"}, bed.variables);
  REQUIRE(waitForBytes(bed.json(), pid, 1));
  const fs::path aside = bed.folder.path / "aside";
  int complaints = 1;
  SUBCASE("others may write into it") { setMode(bed.cache, 0777); }
  SUBCASE("a FIFO has its place") {
    fs::rename(bed.cache, aside);
    REQUIRE(mkfifo(bed.cache.c_str(), 0600) == 0);
  }
  SUBCASE("it is gone, and another one is made") {
    fs::rename(bed.cache, aside);
    fs::remove_all(aside);
    complaints = 0;
  }
  SUBCASE("all that is in it are folders, FIFOs and links to an endless device") {
    int number = 0;
    for (const auto& entry : fs::directory_iterator(bed.cache)) {
      fs::remove_all(entry.path());
      switch (++number % 3) {
        case 0: fs::create_directories(entry.path() / "below"); break;
        case 1: mkfifo(entry.path().c_str(), 0600); break;
        default: fs::create_symlink("/dev/zero", entry.path());
      }
    }
    complaints = 0;
  }
  // The worker in its place opens it as it is now, and after that the one that races its sample once more.
  for (const pid_t child : childrenOf(pid)) kill(child, SIGKILL);
  CHECK(ProgramBed::wait(pid) == 0);
  CHECK(bed.statuses() == allOk(10));
  CHECK_MESSAGE(countOf(" is not used: ", bed.err()) == complaints, bed.err());
}

TEST_CASE("two programs begin with a new cache at once: one key, and no file that is not whole") {
  const CacheBed bed(12);
  const auto start = [&](const char* name) { return bed.start({"--json", bed.folder.path / name}, bed.variables); };
  const pid_t first = start("1.jsonl"), second = start("2.jsonl");
  CHECK(ProgramBed::wait(first) == 0);
  CHECK(ProgramBed::wait(second) == 0);
  CHECK(bed.err() == "");
  for (const auto& entry : fs::directory_iterator(bed.cache)) CHECK(entry.path().filename().string().size() == 32);
  CHECK(std::distance(fs::directory_iterator(bed.folder.path / "state/opbench"), {}) == 1);
  CHECK(bed.run({"--compilers", "1"}) == 0);
  CHECK(bed.compilations() == all(12, "precompiled cached"));
}

TEST_CASE("a group's cache has the group's files; a folder that does not fit is refused with what makes it fit") {
  const CacheBed bed(4);
  fs::create_directory(bed.cache);
  setMode(bed.cache, 02770);
  std::vector<std::string> variables = bed.variables;
  variables.emplace_back("OPBENCH_SHARED_CACHE=1");
  CHECK(bed.run({}, variables) == 0);
  CHECK(bed.err() == "");
  CHECK(fs::file_size(bed.cache / ".key") == 32);
  CHECK(!fs::exists(bed.folder.path / "state"));
  fs::remove(bed.json());
  CHECK(bed.run({"--compilers", "1", "--shared-cache"}, bed.variables) == 0);
  CHECK(bed.compilations() == all(4, "precompiled cached"));
  fs::remove(bed.json());
  setMode(bed.cache, 0775);
  CHECK(bed.run({"--compilers", "1"}, variables) == 0);
  CHECK(bed.statuses() == allOk(4));
  CHECK(bed.compilations() == all(4, "precompiled"));
  CHECK(countOf("chgrp GROUP " + bed.cache.string() + "; chmod 2770 " + bed.cache.string() + "\n", bed.err()) == 1);
}

TEST_CASE("a run has its cache keep to its size when it begins") {
  const CacheBed bed(8);
  CHECK(bed.run() == 0);
  const auto entries = [&] { return std::distance(fs::directory_iterator(bed.cache), {}); };
  CHECK(entries() > 8);
  fs::remove(bed.json());
  CHECK(bed.run({"--cache-size", "1", "--compilers", "0"}) == 0);
  CHECK(bed.statuses() == allOk(8));
  CHECK(entries() == 0);
}

TEST_CASE("what a killed run left in the folder of temporary files goes when the next one begins; a live one's stays") {
  const FakeBed bed(6), other(6);
  const fs::path temporary = bed.folder.path / "temporary";
  fs::create_directory(temporary);
  const std::vector<std::string> ofRun{"--no-cache", "--compilers", "1"}, variables{"TMPDIR=" + temporary.string()};
  const auto startAndHold = [&](int index) {
    bed.hold(index);
    std::vector<std::string> words = ofRun;
    words.insert(words.end(), {"--json", bed.folder.path / std::to_string(index)});
    const pid_t pid = bed.start(words, variables);
    REQUIRE(bed.waitUntilHeld(index, pid));
    return pid;
  };
  const auto killRun = [&](pid_t pid) {
    kill(pid, SIGKILL);
    CHECK(ProgramBed::wait(pid) == -SIGKILL);
  };
  const pid_t killed = startAndHold(5);
  const std::vector<fs::path> left = foldersIn(temporary);
  REQUIRE(left.size() == 1);
  std::ofstream(left.front() / "entry") << "text";
  killRun(killed);
  CHECK(foldersIn(temporary) == left);
  // Of the user's own, not of a run's.
  for (const char* name : {"opbench-output", "opbench-123456", "opbench-test-123456"}) {
    fs::create_directory(temporary / name);
    std::ofstream(temporary / name / "results") << "text";
  }
  const pid_t alive = startAndHold(4);
  CHECK(!fs::exists(left.front()));
  CHECK(foldersIn(temporary).size() == 4);
  CHECK(other.run(ofRun, variables) == 0);
  CHECK(foldersIn(temporary).size() == 4);
  killRun(alive);
  fs::remove(other.json());
  CHECK(other.run({}, variables) == 0);
  CHECK(foldersIn(temporary).size() == 3);
}

TEST_CASE("a folder of the run's own is made where it is needed, and has a key of its own") {
  const TemporaryFolder folder;
  const auto users = [&](const fs::path& path) { return runtime::CacheSettings{path, folder.path / "state/cache.key"}; };
  const opbench::RunCache used(users(folder.path / "cache"), true);
  CHECK(used.settings() == users(folder.path / "cache"));
  CHECK(used.complaints().empty());
  CHECK(opbench::RunCache({}, false).settings().folder.empty());
  std::string path;
  {
    const opbench::RunCache own({}, true);
    path = own.settings().folder;
    CHECK(own.complaints().empty());
    CHECK(fs::path(own.settings().keyFile).parent_path() == path);
    const runtime::Cache cache(own.settings());
    cache.put("key", "bytes");
    CHECK(runtime::Cache(own.settings()).find("key") == "bytes");
  }
  CHECK(!fs::exists(path));
  std::ofstream(folder.path / "file") << "text";
  const opbench::RunCache refused(users(folder.path / "file"), true);
  CHECK(refused.complaints().size() == 1);
  CHECK(refused.settings().folder != folder.path / "file");
  CHECK(runtime::Cache(refused.settings()).isOpen());
}
