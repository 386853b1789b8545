#include "runtime/cpu/control_groups.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace runtime {
namespace {

namespace fs = std::filesystem;

/// How one version of control groups spells what is asked.
struct Version {
  fs::path hierarchy;  ///< the folder of all groups
  const char *limit, *used, *reclaimable;
};

/// A group of this process: the folder of its version, and its own below that.
struct Group {
  const Version* version;
  fs::path path;
};

/// A number that is all a file begins with; nothing for `max`.
std::optional<int64_t> numberIn(const fs::path& path) {
  std::ifstream file(path);
  int64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

/// The number behind a name in a file of names and numbers; 0 where it is not there.
int64_t numberOf(const std::string& name, const fs::path& path) {
  std::ifstream file(path);
  int64_t value = 0;
  for (std::string found; file >> found >> value;)
    if (found == name) return value;
  return 0;
}

/// Lines are `0::/a/b`, or of the first version `4:memory:/a/b`.
std::vector<Group> groupsOf(const fs::path& list, const Version& first, const Version& second) {
  std::vector<Group> groups;
  std::ifstream file(list);
  for (std::string line; std::getline(file, line);) {
    const size_t from = line.find(':'), to = from == std::string::npos ? from : line.find(':', from + 1);
    if (to == std::string::npos) continue;
    const std::string controllers = "," + line.substr(from + 1, to - from - 1) + ",";
    const fs::path path = fs::path(line.substr(to + 1)).lexically_normal().relative_path();
    if (controllers == ",,") groups.push_back({&second, path});
    if (controllers.find(",memory,") != std::string::npos) groups.push_back({&first, path});
  }
  return groups;
}

/// What one group leaves; caches of files that nobody has used lately give way.
void limitTo(const fs::path& folder, const Version& version, Memory& memory) {
  const auto limit = numberIn(folder / version.limit), used = numberIn(folder / version.used);
  if (!limit || !used) return;
  const int64_t held = *used - std::min(*used, numberOf(version.reclaimable, folder / "memory.stat"));
  memory.total = std::min(memory.total, *limit);
  memory.free = std::min(memory.free, std::max<int64_t>(0, *limit - held));
}

}  // namespace

Memory withinControlGroups(Memory memory, const fs::path& root) {
  const fs::path all = root / "sys/fs/cgroup";
  const Version first{all / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
  const Version second{all, "memory.max", "memory.current", "inactive_file"};
  for (const Group& group : groupsOf(root / "proc/self/cgroup", first, second)) {
    for (fs::path path = group.path; !path.empty(); path = path.parent_path())
      limitTo(group.version->hierarchy / path, *group.version, memory);
    limitTo(group.version->hierarchy, *group.version, memory);
  }
  return memory;
}

}  // namespace runtime
