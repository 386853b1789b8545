// A cache whose group's members trust each other.
#include <doctest/doctest.h>
#include <grp.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "tests/runtime/build/cache_bed.h"

namespace {

namespace fs = std::filesystem;

using runtime::Cache;
using tests::CacheBed, tests::modeOf, tests::setMode;

/// A group that the user is in beside the group of new files, or that one; all that can be had without being root.
gid_t ownGroup() {
  std::vector<gid_t> groups(static_cast<size_t>(std::max(0, getgroups(0, nullptr))));
  const int count = getgroups(static_cast<int>(groups.size()), groups.data());
  for (int i = 0; i < count; ++i)
    if (groups[static_cast<size_t>(i)] != getegid()) return groups[static_cast<size_t>(i)];
  return getegid();
}

/// A cache of the user's group.
struct SharedBed : CacheBed {
  SharedBed() {
    settings.isShared = true;
    settings.keyFile.clear();
    fs::create_directory(path);
    REQUIRE(chown(path.c_str(), static_cast<uid_t>(-1), ownGroup()) == 0);
    setMode(path, 02770);
  }
};

/// What a function returns in a process of another user and group, who is in `group` as well; 0 is right. Only for root.
int asMember(uid_t user, gid_t group, const std::function<bool()>& function) {
  const pid_t child = fork();
  if (child == 0) {
    if (setgroups(1, &group) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0) _exit(2);
    umask(077);
    _exit(function() ? 0 : 1);
  }
  return tests::statusOf(child);
}

}  // namespace

TEST_CASE("a group's cache: its files are the group's, and its key is among them") {
  const SharedBed bed;
  const mode_t before = umask(077);
  CHECK(bed.complaint() == "");
  umask(before);
  int files = 0;
  for (const auto& entry : fs::directory_iterator(bed.path)) {
    struct stat status{};
    REQUIRE(lstat(entry.path().c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0640);
    CHECK(status.st_gid == ownGroup());
    ++files;
  }
  CHECK(files == 2);
  CHECK(tests::contentOf(bed.path / ".key").size() == 32);
  CHECK(Cache(bed.settings).use().entries == 1);
  CHECK(modeOf(bed.path) == 02770);
}

TEST_CASE("a group's cache that does not fit is refused with the commands that make it fit") {
  const SharedBed bed;
  const std::string folder = bed.settings.folder,
                    commands = "mkdir -p " + folder + "; chgrp GROUP " + folder + "; chmod 2770 " + folder;
  for (const mode_t mode : {mode_t{0770}, mode_t{02775}, mode_t{02777}, mode_t{03770}, mode_t{0700}, mode_t{02750}}) {
    setMode(bed.path, mode);
    CHECK_MESSAGE(bed.complaint().ends_with(commands), mode);
    CHECK(modeOf(bed.path) == mode);
  }
  fs::remove_all(bed.path);
  CHECK(bed.complaint().ends_with(commands));
  CHECK(!fs::exists(bed.path));
}

TEST_CASE("a group's key that others may read is not used") {
  const SharedBed bed;
  bed.keep();
  setMode(bed.path / ".key", 0644);
  CHECK(bed.complaint() ==
        "its key " + bed.settings.folder +
            "/.key: it is not a file of 32 bytes and mode 0640 that belongs to the group; remove it to get a new one");
}

TEST_CASE("members of the group believe each other, and nobody else; each may make room and count as user") {
  const SharedBed bed;
  constexpr gid_t group = 23456;
  constexpr uid_t ada = 12345, ben = 12346;
  if (geteuid() != 0 || chown(bed.path.c_str(), 0, group) != 0) return;
  setMode(bed.path, 02770);
  setMode(bed.folder.path, 0755);
  CHECK(bed.complaint().find("of a group that the user is in") != std::string::npos);
  const auto open = [&] { return Cache(bed.settings); };
  CHECK(asMember(ada, group, [&] {
          open().put("of ada", "bytes");
          return open().find("of ada") == "bytes";
        }) == 0);
  const fs::path entry = bed.path / runtime::digest("of ada");
  CHECK(asMember(ben, group, [&] { return open().find("of ada") == "bytes"; }) == 0);
  CHECK(asMember(ben, 34567, [&] { return !open().isOpen(); }) == 0);
  // An entry of another group's was moved here.
  REQUIRE(chown(entry.c_str(), ada, 34567) == 0);
  setMode(entry, 0644);
  CHECK(asMember(ben, group, [&] { return !open().find("of ada"); }) == 0);
  REQUIRE(chown(entry.c_str(), ada, group) == 0);
  setMode(entry, 0640);
  // What was found counts as used, also where it is another's.
  tests::age(entry, 1000 * 24 * 3600);
  CHECK(asMember(ben, group, [&] { return open().find("of ada") == "bytes"; }) == 0);
  CHECK(tests::ageOf(entry) < 3600);
  CHECK(asMember(ada, group, [&] { return open().find("of ada") == "bytes"; }) == 0);
  // Whoever reaches the limit removes what others have made.
  CHECK(asMember(ada, group, [&] {
          runtime::CacheSettings small = bed.settings;
          small.mostBytes = 10;
          Cache(small).evict();
          return !open().find("of ada");
        }) == 0);
}
