#include "runtime/cpu/control_groups.h"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/opbench/temporary_folder.h"

namespace {

constexpr int64_t gigabyte = 1'000'000'000;

/// A file system with the files that tell of control groups.
class Bed {
 public:
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((folder_.path / path).parent_path());
    std::ofstream(folder_.path / path) << text;
  }
  /// Of a machine with 64 GB, 40 of them free.
  runtime::Memory left() const { return runtime::withinControlGroups({40 * gigabyte, 64 * gigabyte}, folder_.path); }

 private:
  tests::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("where no group limits anything the machine's memory is left") {
  Bed bed;
  CHECK(bed.left().total == 64 * gigabyte);
  bed.write("proc/self/cgroup", "0::/user.slice\n");
  bed.write("sys/fs/cgroup/user.slice/memory.max", "max\n");
  bed.write("sys/fs/cgroup/user.slice/memory.current", "1000\n");
  CHECK(bed.left().free == 40 * gigabyte);
}

TEST_CASE("a container sees its own group as the root of all") {
  Bed bed;
  bed.write("proc/self/cgroup", "0::/\n");
  bed.write("sys/fs/cgroup/memory.max", "8000000000\n");
  bed.write("sys/fs/cgroup/memory.current", "3000000000\n");
  bed.write("sys/fs/cgroup/memory.stat", "anon 1000000000\ninactive_file 2000000000\n");
  CHECK(bed.left().total == 8 * gigabyte);
  CHECK(bed.left().free == 7 * gigabyte);
}

TEST_CASE("a job of Slurm has the least that its step, its job and the groups around them leave") {
  Bed bed;
  bed.write("proc/self/cgroup", "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n");
  bed.write("sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.max", "16000000000\n");
  bed.write("sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.current", "15000000000\n");
  bed.write("sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/step_0/memory.max", "20000000000\n");
  bed.write("sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/step_0/memory.current", "1000000000\n");
  CHECK(bed.left().total == 16 * gigabyte);
  CHECK(bed.left().free == 1 * gigabyte);
}

TEST_CASE("the first version of control groups has a hierarchy for memory") {
  Bed bed;
  bed.write("proc/self/cgroup", "9:cpu,cpuacct:/other\n4:memory:/slurm/uid_1/job_7\n1:name=systemd:/x\n");
  bed.write("sys/fs/cgroup/memory/slurm/uid_1/job_7/memory.limit_in_bytes", "4000000000\n");
  bed.write("sys/fs/cgroup/memory/slurm/uid_1/job_7/memory.usage_in_bytes", "5000000000\n");
  bed.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  bed.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n");
  CHECK(bed.left().total == 4 * gigabyte);
  CHECK(bed.left().free == 0);
}
